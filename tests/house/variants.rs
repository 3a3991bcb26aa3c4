//! What stands at the variants of errors and warnings beside their headlines: properties that have
//! a meaning, and kinds that exist.

use llmpatch::kind::Kind;
use llmpatch::plan::Placing;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, MetaNameValue, Token};

use super::rooms::texts;

#[test]
fn properties_of_variants_are_known_and_their_kinds_exist() {
    let mut count = 0;
    for (_, text) in texts("").iter().chain(&texts("crates/llmpatch")) {
        let file = syn::parse_file(text).unwrap();
        let enums = file.items.iter().filter_map(|item| match item {
            Item::Enum(item) => Some(item),
            _ => None,
        });
        for variant in enums.flat_map(|item| &item.variants) {
            for (name, value) in variant.attrs.iter().flat_map(properties) {
                count += 1;
                let is_kind = || Kind::ALL.iter().any(|kind| kind.code() == value);
                match &name[..] {
                    "kind" => assert!(is_kind(), "no kind `{value}` at {}", variant.ident),
                    "how" => assert!(Placing::NAMES.contains(&&value[..]), "no way `{value}`"),
                    "label" | "help" | "advice" => {
                        assert!(!value.ends_with('.'), "{value}");
                    }
                    other => panic!("`{other}` at {} means nothing", variant.ident),
                }
            }
        }
    }
    assert!(count > 200, "{count} properties were read");
}

/// Returns the names and values in `#[strum(props(name = "value"))]`; of other attributes none.
fn properties(attribute: &Attribute) -> Vec<(String, String)> {
    if !attribute.path().is_ident("strum") {
        return Vec::new();
    }
    let props: Meta = attribute.parse_args().unwrap();
    let Meta::List(props) = props else {
        return Vec::new();
    };
    let parse = Punctuated::<MetaNameValue, Token![,]>::parse_terminated;
    let pairs = props.parse_args_with(parse).unwrap();
    pairs
        .into_iter()
        .map(|MetaNameValue { path, value, .. }| match value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => (path.require_ident().unwrap().to_string(), text.value()),
            _ => panic!("a property that is no text"),
        })
        .collect()
}

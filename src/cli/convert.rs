use std::collections::BTreeMap;

use bstr::BString;
use clap::Args;

use super::base::Base;
use super::error::Failure;
use super::exit::Exit;
use super::flow::{self, Printed, Session, Worked};
use super::options::{Against, Reading, Responses, Verbosity, count, format_among};
use super::preview::Preview;
use super::responses;
use crate::repo::Side;
use llmpatch::patch::Format;
use llmpatch::path::RepoPath;
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnostic, FileReport, Report, State};
use llmpatch::respond::{self, Look, Notes};
use llmpatch::tree::Tree;

/// Print the change in another format
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch convert --to=<format> [<options>] [<response>...]")]
#[command(
    after_help = "Several responses are one change, in order. What is printed makes the same change of \
         the same files, exactly; what a format can't express is an error that names every \
         such file."
)]
pub(super) struct Convert {
    #[command(flatten)]
    responses: Responses,
    /// The format to print
    #[arg(long, value_name = "format", value_parser = format_among(&[Format::Unified, Format::Envelope, Format::Opx, Format::Blocks, Format::Tool]))]
    to: Format,
    #[command(flatten)]
    context: Context,
    #[command(flatten)]
    against: Against,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// How many unchanged lines are shown.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Context {
    /// Show this many unchanged lines around each change, if that is enough to find it (otherwise
    /// as diff.context; in OPX as few as it takes)
    #[arg(short = 'U', long = "unified", value_name = "n", value_parser = count::<u32>)]
    pub(super) lines: Option<u32>,
}

impl Convert {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        self.responses.check("convert")?;
        Ok(flow::run(
            &self.reading,
            &self.verbosity.of_reading(),
            Vec::new(),
            |session| self.print(session),
        ))
    }

    fn print(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        let sources = responses::read(&self.responses.paths)?;
        let base = Base::of(&self.against);
        let tree = base.tree(&session.repo)?;
        let mut worked = session.work_out(&sources, &base, &*tree)?;
        let printed = match self.to {
            Format::Unified => Printed::Diff(Preview::diff(self.context.lines).print(
                session,
                &base,
                &worked.changes,
            )?),
            _ if worked.changes.is_empty() => Printed::Response(Vec::new()),
            to => Printed::Response(self.respond(session, to, &mut worked, &*tree)?),
        };
        let files = FileReport::list(&worked.changes, |_| None);
        Ok((Report::checked(files, worked.warnings), printed))
    }

    fn respond(
        &self,
        session: &Session,
        format: Format,
        worked: &mut Worked<'_>,
        tree: &dyn Tree,
    ) -> Result<Vec<u8>, Failure> {
        let look = Look {
            options: session.repo.diff_options()?,
            context: self.context.lines,
            prose: BString::default(),
            base: None,
            notes: notes(session, worked),
        };
        // Contents are compared as they are in the files: that is what the response is about.
        let differ = session.repo.differ(Side::Blobs)?;
        let work = session.meter.begin(Stage::Comparing, 0);
        let outcome = respond::respond(
            format,
            &worked.changes,
            tree,
            &differ,
            &look,
            Vec::new(),
            work.progress(),
        )?;
        let response = outcome.map_err(|unrepresentable| {
            let mut errors: Vec<_> = unrepresentable.iter().map(Diagnostic::from).collect();
            // Once is enough: it is true of all.
            if let Some(last) = errors.last_mut() {
                last.help = Some("`--to=unified` can express everything that git can".to_owned());
            }
            Failure::new(Report::failed_with(
                State::NothingChanged,
                errors,
                worked.warnings.clone(),
            ))
        })?;
        worked
            .warnings
            .extend(response.replaced.iter().map(Diagnostic::from));
        Ok(response.text)
    }
}

/// Collects what the authors of edits noted, by file.
fn notes(session: &Session, worked: &Worked<'_>) -> Notes {
    let mut notes: BTreeMap<RepoPath, Vec<BString>> = BTreeMap::new();
    for edit in worked.patches.iter().flat_map(|patch| &patch.edits) {
        let (Some(why), Some(path)) = (&edit.why, session.resolve(edit)) else {
            continue;
        };
        let notes = notes.entry(path).or_default();
        let note = BString::from(&why[..]);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if notes.is_empty() {
        Notes::None
    } else {
        Notes::Each(notes)
    }
}

//! The edit tool of an agent: a response is applied to files in memory, or sent back to the model
//! with what is wrong with it.
//!
//! `cargo run -p llmpatch --example agent` shows what the model is told; `cargo test -p llmpatch`
//! runs this as a test.

use llmpatch::{MemoryTree, Options, Refusal, apply};

/// Asks a model for a patch. This one has misread the file, and corrects itself when it is told so.
fn ask_model(message: &str) -> &'static str {
    if message.contains("port = 8080") {
        "*** Begin Patch\n*** Update File: server.py\n-port = 8080\n+port = 9090\n*** End Patch\n"
    } else {
        "*** Begin Patch\n*** Update File: server.py\n-port = 80\n+port = 9090\n*** End Patch\n"
    }
}

fn main() -> Result<(), Box<Refusal>> {
    let mut files = MemoryTree::new()
        .with("server.py", "import http\n\nport = 8080\n")
        .with("README.md", "# A server\n");
    let options = Options::default();
    let mut message = "Let the server listen on port 9090.".to_owned();
    for attempt in 1..=3 {
        match apply("response", ask_model(&message), &files, &options) {
            Ok(applied) => {
                println!("attempt {attempt}: {}", applied.message);
                applied.changes.make_in(&mut files);
                break;
            }
            Err(refusal) => {
                println!("attempt {attempt}: {refusal}");
                // Without feedback there is nothing that the model could do better.
                message = refusal.feedback.clone().ok_or(refusal)?;
                println!("{message}");
            }
        }
    }
    let server = MemoryTree::new().with("server.py", "import http\n\nport = 9090\n");
    assert!(
        server
            .iter()
            .all(|file| files.iter().any(|one| one == file))
    );
    Ok(())
}

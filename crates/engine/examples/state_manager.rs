//! The state of a loop from Rust: begun, asked about, saved, backed up and cleared, without a driver.
//!
//! `cargo run -p piton-engine --example state_manager` works in a temporary directory and prints what it sees.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use piton_engine::manager::{CoreUpdate, ManagerError, StateManager};
use piton_model::loop_machine::{AgentConfig, Check, LoopConfig};

fn config() -> LoopConfig {
    let check = Check { cheap: true, ..Check::new("test", "test -f done") };
    LoopConfig::new("Make it so", AgentConfig::new("exec", &["sh", "-c", "touch done"]), vec![check])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ManagerError> {
    let directory = std::env::temp_dir().join(format!("piton-example-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory can be made");
    let run = "example".parse().expect("that is a name");
    let manager = StateManager::initialize(&directory, run, "Make it so", config(), None).await?;

    // Nothing is in the file yet, and then it is.
    assert!(manager.is_dirty().await?);
    println!("saved to {}", manager.save().await?.display());
    assert!(!manager.is_dirty().await?);

    // An update is a request: durable when the call returns, in the file when it is saved.
    manager.update_custom("score", 7.into()).await?;
    manager.add_note("looked at it".to_owned()).await?;
    assert!(manager.is_dirty().await?);
    println!("custom: {:?}", manager.get().await?.custom["score"]);
    println!("backed up to {}", manager.backup().await?.display());

    // Where it makes no sense it is refused, and the state stays what it is.
    let refused = manager.update_core(CoreUpdate::Skip).await.expect_err("there is nothing to skip");
    println!("refused: {refused}");

    // Saves beside other work for as long as it is waited for.
    let saving = manager.auto_save(Duration::from_millis(50));
    let _ = tokio::time::timeout(Duration::from_millis(120), saving).await;

    manager.clear().await?;
    assert!(!directory.join(".ralph/state.json").exists());
    println!("cleared");
    std::fs::remove_dir_all(&directory).expect("a temporary directory can be removed");
    Ok(())
}

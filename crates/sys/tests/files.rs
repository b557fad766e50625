//! The rules of files: atomic, private, and never through a link.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use piton_sys::file::{self, Durability, Refusal};
use piton_sys::process::{Program, RunLimits};
use piton_sys::{Clock, SystemClock};

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write(path: &Path, text: &str) {
    file::write_atomic(path, text.as_bytes(), Durability::Synced).unwrap();
}

fn run(program: &str, args: &[&Path]) {
    let limits = RunLimits { deadline: std::time::Duration::from_secs(20), output_bytes_max: 10_000 };
    assert!(Program::new(program).args(args.iter().copied()).run(limits).unwrap().success());
}

#[test]
fn a_write_replaces_the_whole_file_and_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("state.json");
    for durability in [Durability::Synced, Durability::Unsynced] {
        file::write_atomic(&path, b"a longer first version", durability).unwrap();
        file::write_atomic(&path, b"second", durability).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
    }
    assert_eq!(names(root.path()), ["state.json"]);
}

#[test]
fn a_new_file_is_private_and_an_old_one_keeps_its_mode() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    write(&path, "1");
    assert_eq!(mode_of(&path), 0o600);
    for mode in [0o644, 0o755, 0o400, 0o666] {
        set_mode(&path, mode);
        write(&path, "2");
        assert_eq!(mode_of(&path), mode);
    }
}

#[test]
fn a_write_never_goes_through_or_over_a_symbolic_link() {
    let root = tempfile::tempdir().unwrap();
    let (target, link) = (root.path().join("target"), root.path().join("link"));
    write(&target, "untouched");
    for points_to in [target.as_path(), Path::new("dangling")] {
        symlink(points_to, &link).unwrap();
        let error = file::write_atomic(&link, b"x", Durability::Synced).unwrap_err();
        assert_eq!(error.refusal(), Some(&Refusal::Symlink));
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        std::fs::remove_file(&link).unwrap();
    }
    assert_eq!(std::fs::read(&target).unwrap(), b"untouched");
    assert_eq!(names(root.path()), ["target"]);
}

#[test]
fn a_write_over_a_directory_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let error = file::write_atomic(root.path(), b"x", Durability::Synced).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NotARegularFile));
}

#[test]
fn errors_name_action_and_path() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("no/such/file");
    let error = file::write_atomic(&path, b"x", Durability::Synced).unwrap_err();
    assert!(error.is_not_found() && !error.is_no_space());
    let text = error.to_string();
    assert!(text.starts_with("failed to create `") && text.ends_with(".tmp`"), "{text}");
    let full = file::Error::new("write", &path, rustix::io::Errno::NOSPC);
    assert!(full.is_no_space());
    assert!(file::Error::new("write", &path, rustix::io::Errno::DQUOT).is_no_space());
    assert_eq!(full.to_string(), format!("failed to write `{}`", path.display()));
}

#[test]
fn a_new_file_never_replaces_an_old_one() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    file::create_new(&path, b"first", Durability::Synced).unwrap();
    assert!(file::create_new(&path, b"second", Durability::Synced).is_err());
    symlink("elsewhere", root.path().join("link")).unwrap();
    assert!(file::create_new(&root.path().join("link"), b"x", Durability::Unsynced).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"first");
    assert_eq!(names(root.path()), ["file", "link"]);
}

#[test]
fn a_private_directory_is_made_with_its_parents() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/c");
    file::create_private_dir(&path).unwrap();
    for directory in [path.as_path(), path.parent().unwrap(), &root.path().join("a")] {
        assert_eq!(mode_of(directory), 0o700);
    }
    file::create_private_dir(&path).unwrap();
}

#[test]
fn a_directory_below_one_that_is_gone_is_not_made() {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().join("home");
    assert!(file::create_private_dir_below(&home, &home.join("a/b")).unwrap_err().is_not_found());
    assert!(!home.exists());
    file::create_private_dir(&home).unwrap();
    for _ in 0..2 {
        file::create_private_dir_below(&home, &home.join("a/b")).unwrap();
    }
    assert_eq!(mode_of(&home.join("a")), 0o700);
}

#[test]
fn a_directory_others_could_change_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let refusal = |path: &Path| file::create_private_dir(path).unwrap_err().refusal().cloned();
    let directory = root.path().join("directory");
    file::create_private_dir(&directory).unwrap();

    for mode in [0o777, 0o702, 0o1777] {
        set_mode(&directory, mode);
        assert_eq!(refusal(&directory), Some(Refusal::WorldWritable { mode }));
    }
    set_mode(&directory, 0o755);
    file::check_private_dir(&directory).unwrap();

    let link = root.path().join("link");
    symlink(&directory, &link).unwrap();
    assert_eq!(refusal(&link), Some(Refusal::Symlink));

    let regular = root.path().join("file");
    write(&regular, "");
    assert_eq!(refusal(&regular), Some(Refusal::NotADirectory));
    assert!(file::check_private_dir(&root.path().join("absent")).unwrap_err().is_not_found());
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let root = tempfile::tempdir().unwrap();
    // Only root can give a directory away; for everybody else there is one of root's.
    let user = rustix::process::geteuid().as_raw();
    let foreign = if user == 0 {
        std::os::unix::fs::chown(root.path(), Some(4242), None).unwrap();
        root.path()
    } else {
        Path::new("/usr")
    };
    let owner = std::fs::metadata(foreign).unwrap().uid();
    let error = file::check_private_dir(foreign).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::ForeignOwner { owner, user }));
}

#[test]
fn a_read_takes_regular_files_of_a_reasonable_size() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    assert_eq!(file::read_regular(&path, 10).unwrap(), None);
    write(&path, "0123456789");
    assert_eq!(file::read_regular(&path, 10).unwrap().unwrap(), b"0123456789");
    let error = file::read_regular(&path, 9).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::TooLarge { bytes_max: 9 }));
    // A file of no size that has something in it all the same.
    assert!(file::read_regular(Path::new("/proc/self/status"), 10).is_err());
}

#[test]
fn a_read_never_hangs_and_never_follows() {
    let root = tempfile::tempdir().unwrap();
    let fifo = root.path().join("fifo");
    run("mkfifo", &[&fifo]);
    assert_eq!(file::read_regular(&fifo, 10).unwrap_err().refusal(), Some(&Refusal::NotARegularFile));
    let socket = root.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(file::read_regular(&socket, 10).unwrap_err().refusal(), Some(&Refusal::NotARegularFile));
    assert_eq!(file::read_regular(root.path(), 10).unwrap_err().refusal(), Some(&Refusal::NotARegularFile));
    assert!(file::read_regular(Path::new("/dev/zero"), 10).is_err());
    let link = root.path().join("link");
    symlink("/etc/passwd", &link).unwrap();
    assert_eq!(file::read_regular(&link, 1_000_000).unwrap_err().refusal(), Some(&Refusal::Symlink));
}

#[test]
fn a_rename_without_replacing_leaves_both_where_the_name_is_taken() {
    let root = tempfile::tempdir().unwrap();
    let (from, to) = (root.path().join("from"), root.path().join("to"));
    write(&from, "from");
    assert!(file::rename_noreplace(&from, &to).unwrap());
    write(&from, "again");
    assert!(!file::rename_noreplace(&from, &to).unwrap());
    assert_eq!(std::fs::read(&to).unwrap(), b"from");
    assert_eq!(std::fs::read(&from).unwrap(), b"again");
    let directory = root.path().join("directory");
    std::fs::create_dir(&directory).unwrap();
    assert!(!file::rename_noreplace(&directory, &to).unwrap());
    assert!(
        file::rename_noreplace(&root.path().join("absent"), &to.with_extension("x"))
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn names_are_exchanged_in_one_step() {
    let root = tempfile::tempdir().unwrap();
    let (a, b) = (root.path().join("a"), root.path().join("b"));
    write(&a, "a");
    write(&b, "b");
    if file::exchange(&a, &b).unwrap() {
        assert_eq!((std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap()), (b"b".to_vec(), b"a".to_vec()));
    }
    assert!(file::exchange(&a, &root.path().join("absent")).unwrap_err().is_not_found());
}

#[test]
fn removing_says_whether_there_was_anything() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    assert!(!file::remove_file_if_exists(&path).unwrap());
    write(&path, "");
    assert!(file::remove_file_if_exists(&path).unwrap());
    file::sync_dir(root.path()).unwrap();
    assert!(file::sync_dir(&path).unwrap_err().is_not_found());
}

#[test]
fn readers_see_the_old_file_or_the_new_one() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    let versions = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
    file::write_atomic(&path, &versions[0], Durability::Unsynced).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..300 {
                file::write_atomic(&path, &versions[round % 2], Durability::Unsynced).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = file::read_regular(&path, 1_000_000).unwrap().unwrap();
            assert!(versions.contains(&seen), "a mixture of {} bytes", seen.len());
        }
    });
}

#[test]
fn below_a_root_no_link_is_followed_and_the_error_names_the_path() {
    let base = tempfile::tempdir().unwrap();
    let (root, outside) = (base.path().join("root"), base.path().join("outside"));
    std::fs::create_dir_all(root.join("a/b")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let put =
        |path: &Path| file::within(&root, path, |path| file::write_atomic(path, b"x", Durability::Unsynced));
    put(&root.join("a/b/c")).unwrap();
    assert_eq!(std::fs::read(root.join("a/b/c")).unwrap(), b"x");

    symlink(&outside, root.join("a/link")).unwrap();
    let error = put(&root.join("a/link/c")).unwrap_err();
    assert_eq!((error.refusal(), &*error.path), (Some(&Refusal::Symlink), &*root.join("a/link")));
    let error = put(&root.join("a/b/c/d")).unwrap_err();
    assert_eq!((error.refusal(), &*error.path), (Some(&Refusal::NotADirectory), &*root.join("a/b/c")));
    symlink(&outside, root.join("a/b/e")).unwrap();
    let error = put(&root.join("a/b/e")).unwrap_err();
    assert_eq!((error.refusal(), &*error.path), (Some(&Refusal::Symlink), &*root.join("a/b/e")));
    for elsewhere in [outside.join("c"), root.join("a/../../outside/c"), root.clone()] {
        assert!(put(&elsewhere).is_err(), "{elsewhere:?}");
    }
    assert!(put(&root.join("ghost/c")).unwrap_err().is_not_found());
    assert_eq!(names(&outside), [""; 0]);
}

/// Somebody exchanges a directory for a link to the outside and back, as fast as they can, while piton writes there.
#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
    let base = tempfile::tempdir().unwrap();
    let (root, outside) = (base.path().join("root"), base.path().join("outside"));
    std::fs::create_dir_all(root.join("runs/r1")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, root.join("link")).unwrap();
    let (directory, link, path) = (root.join("runs/r1"), root.join("link"), root.join("runs/r1/state.json"));
    let done = std::sync::atomic::AtomicBool::new(false);
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                assert!(file::exchange(&directory, &link).unwrap());
            }
        });
        for _ in 0..10_000 {
            let put = |path: &Path| file::write_atomic(path, b"x", Durability::Unsynced);
            match file::within(&root, &path, put) {
                Ok(()) => written += 1,
                Err(error) => {
                    assert!(
                        matches!(error.refusal(), Some(Refusal::Symlink | Refusal::NotADirectory)),
                        "{error:?}"
                    );
                    refused += 1;
                }
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(names(&outside), [""; 0], "{written} written, {refused} refused");
    assert!(written > 0 && refused > 0, "{written} written, {refused} refused");
}

#[test]
fn a_look_shows_a_change_and_is_refused_where_it_could_not() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    file::write_atomic(&path, b"one", Durability::Unsynced).unwrap();
    let now = SystemClock.now();
    assert_eq!(file::look_at_rest(&path, now), None, "it was changed a moment ago");
    let later = now.plus_millis(60_000);
    let look = file::look_at_rest(&path, later);
    assert!(look.is_some() && look == file::look_at_rest(&path, later));
    file::write_atomic(&path, b"two", Durability::Unsynced).unwrap();
    assert_ne!(file::look_at_rest(&path, later), look, "it is another file by that name");
    assert_eq!(file::look_at_rest(directory.path(), later), None);
}

//! Giving back what only the start of a program needed.
//!
//! A driver and a viewer wait for hours. By then they have been through most of the program once, and the kernel counts the
//! pages of it as theirs: two thirds of what a loop seems to hold. What is still needed comes back from the page cache by
//! itself.

/// Gives back the pages of this program's code. They are read from its file again where they are needed.
pub fn give_back_code() {
    #[cfg(target_os = "linux")]
    for range in std::fs::read_to_string("/proc/self/maps").iter().flat_map(|maps| code_of(maps)) {
        #[expect(unsafe_code, reason = "no safe wrapper of madvise for a mapping that is not ours to name")]
        // SAFETY: the range is a private mapping of a file that nobody can write to, with execute and without write
        // permission: every page of it equals the file, and a thread that runs in it faults it in again.
        unsafe {
            libc::madvise(range.start as *mut libc::c_void, range.len(), libc::MADV_DONTNEED);
        }
    }
}

/// The ranges in `maps` that hold the code of the program itself: of a file, readable, executable, never writable. The
/// program's comes first; libraries are smaller than what is saved.
#[cfg(target_os = "linux")]
fn code_of(maps: &str) -> Option<std::ops::Range<usize>> {
    maps.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (range, permissions) = (words.next()?, words.next()?);
        let path = words.nth(3)?;
        let (start, end) = range.split_once('-')?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        (permissions == "r-xp" && path.starts_with('/')).then_some(address(start)?..address(end)?)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_program_is_its_first_mapping_that_runs_and_is_never_written() {
        let maps = "55a0-55b0 r--p 00000000 fe:00 12 /usr/bin/piton\n\
                    55b0-55f0 r-xp 00010000 fe:00 12 /usr/bin/piton\n\
                    55f0-5600 rw-p 00050000 fe:00 12 /usr/bin/piton\n\
                    7f00-7f10 r-xp 00000000 fe:00 13 /lib/libc.so.6\n";
        assert_eq!(code_of(maps), Some(0x55b0..0x55f0));
        assert_eq!(code_of("7ffc0-7ffd0 r-xp 00000000 00:00 0 [vdso]\n"), None);
    }

    #[test]
    fn a_program_goes_on_without_the_pages_it_gave_back() {
        let resident = || {
            let maps = std::fs::read_to_string("/proc/self/smaps").expect("/proc");
            let from = maps.find(" r-xp ").expect("code");
            let line = maps[from..].lines().find(|line| line.starts_with("Rss:")).expect("a size");
            line.split_ascii_whitespace().nth(1).expect("a number").parse::<u64>().expect("a number")
        };
        let before = resident();
        give_back_code();
        let after = resident();
        assert!(after < before, "{before} kB, then {after} kB");
    }
}

//! What becomes of the failure of a check, in every kind of file that runs one: lost by a cheat, passed on by its twin.

use super::checks::{Row, hold};
use super::{blocking, report};

#[test]
fn a_script_that_loses_a_failure_is_found_and_one_that_passes_it_on_is_not() {
    hold(&[
        Row(
            "scripts/test.sh",
            "#!/bin/sh\nset -eu\npytest tests\necho done\n",
            &[
                "#!/bin/sh\nset -eu\npytest tests || true\necho done\n",
                "#!/bin/sh\nset -eu\npytest tests || echo failed\necho done\n",
                "#!/bin/sh\nset -eu\npytest tests | tee log\necho done\n",
                "#!/bin/sh\nset -eu\nif pytest tests; then echo good; fi\necho done\n",
                "#!/bin/sh\nset -u\npytest tests\necho done\n",
                "#!/bin/sh\nset -eu\nset +e\npytest tests\necho done\n",
                "#!/bin/sh\nset -eu\ntrap 'exit 0' EXIT\npytest tests\necho done\n",
                "#!/bin/sh\nset -eu\nexit 0\npytest tests\necho done\n",
                "#!/bin/sh\nset -eu\npytest tests &\nwait\necho done\n",
                "#!/bin/sh\nset -eu\nuntil pytest tests; do sleep 1; done\necho done\n",
                "#!/bin/sh\nset -eu\ntry() { \"$@\" || :; }\ntry pytest tests\necho done\n",
            ],
            &[
                "#!/bin/sh\nset -eu\npytest tests || exit $?\necho done\n",
                "#!/bin/sh\nset -eu\npytest tests || exit 1\necho done\n",
                "#!/bin/sh\nset -eu\npytest tests || { echo failed >&2; exit 1; }\necho done\n",
                "#!/bin/sh\nset -eu\nif ! pytest tests; then\n  echo failed\n  exit 1\nfi\necho done\n",
                "#!/bin/sh\nset -eu\nset +e\npytest tests\nstatus=$?\nset -e\ncat log\nexit $status\n",
                "#!/bin/bash\nset -euo pipefail\npytest tests | tee log\necho done\n",
                "#!/bin/sh\nset -eu\ntrap 'rm -f log' EXIT\npytest tests\necho done\n",
                "#!/bin/sh\nset -eu\nrun() { echo \"+ $*\"; \"$@\"; }\nrun pytest tests\necho done\n",
                "#!/bin/sh\nset -eu\nrm -f log || true\npytest tests\necho done\n",
            ],
        ),
        Row(
            "Makefile",
            "test:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
            &[
                "test:\n\t-go test ./...\n\nlint:\n\tgo vet ./...\n",
                "test:\n\tgo test ./... || true\n\nlint:\n\tgo vet ./...\n",
                "test:\n\tgo test ./... ; exit 0\n\nlint:\n\tgo vet ./...\n",
                "test:\n\tgo test ./... | tee log\n\nlint:\n\tgo vet ./...\n",
                ".IGNORE: test\ntest:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
                "MAKEFLAGS += -i\ntest:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
            ],
            &[
                "test:\n\t@go test ./... || exit $$?\n\nlint:\n\tgo vet ./...\n",
                "test:\n\tgo test ./... || (echo failed; exit 1)\n\nlint:\n\tgo vet ./...\n",
                "test:\n\t-rm -f log\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
                "SHELL := /bin/bash -o pipefail\ntest:\n\tgo test ./... | tee log\n\nlint:\n\tgo vet ./...\n",
            ],
        ),
        Row(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
            &[
                "{\n  \"scripts\": {\n    \"test\": \"jest || true\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"verify\": \"npm run lint; npm test; true\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"jest 2>&1 | cat\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"sh -c 'jest; exit 0'\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
            ],
            &[
                "{\n  \"scripts\": {\n    \"test\": \"jest || exit $?\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"jest && echo fine\",\n    \"verify\": \"npm run lint && npm test\"\n  }\n}\n",
            ],
        ),
        Row(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: cargo test\n",
            &[
                "jobs:\n  test:\n    steps:\n      - run: cargo test || true\n",
                "jobs:\n  test:\n    steps:\n      - run: cargo test; exit 0\n",
                "jobs:\n  test:\n    steps:\n      - run: cargo test | tee log\n",
                "jobs:\n  test:\n    steps:\n      - run: |\n          set +e\n          cargo test\n          true\n",
                "jobs:\n  test:\n    steps:\n      - shell: bash {0}\n        run: |\n          cargo test\n          echo done\n",
                "jobs:\n  test:\n    continue-on-error: true\n    steps:\n      - run: cargo test\n",
                "jobs:\n  test:\n    steps:\n      - run: cargo test || cargo test\n",
            ],
            &[
                "jobs:\n  test:\n    steps:\n      - run: cargo test || exit $?\n",
                "jobs:\n  test:\n    steps:\n      - shell: bash\n        run: cargo test | tee log\n",
                "jobs:\n  test:\n    steps:\n      - run: |\n          cargo test\n          echo done\n",
                "jobs:\n  test:\n    steps:\n      - run: cargo test\n  nightly:\n    continue-on-error: true\n    steps:\n      - run: cargo +nightly test\n",
                "jobs:\n  test:\n    steps:\n      - run: cargo test\n      - run: docker rm -f db || true\n",
            ],
        ),
        Row(
            ".gitlab-ci.yml",
            "test:\n  script:\n    - make test\n",
            &[
                "test:\n  allow_failure: true\n  script:\n    - make test\n",
                "test:\n  script:\n    - make test || true\n",
            ],
            &[
                "test:\n  script:\n    - make test || exit $?\n",
                "test:\n  script:\n    - make test | tee log\n",
                "test:\n  script:\n    - make test\n  after_script:\n    - rm -rf cache || true\n",
            ],
        ),
        Row(
            "tox.ini",
            "[testenv]\ncommands =\n    pytest\n    flake8\n",
            &["[testenv]\ncommands =\n    - pytest\n    flake8\n"],
            &["[testenv]\ncommands =\n    pytest -q\n    flake8\n"],
        ),
    ]);
}

#[test]
fn a_check_that_nobody_ever_listened_to_may_stay_so() {
    let before = "#!/bin/sh\npytest\nruff check\n";
    let after = "#!/bin/sh\npytest || true\nruff check --quiet\n";
    let found = report(&[("scripts/test.sh", before)], &[("scripts/test.sh", after)]);
    assert!(!found.blocking, "{:?}", blocking(&found));
}

#[test]
fn what_is_said_of_a_lost_failure_names_the_check_and_both_lines() {
    let found =
        report(&[("Makefile", "test:\n\tcargo test\n")], &[("Makefile", "test:\n\tcargo test || true\n")]);
    let finding = &found.findings[0];
    assert_eq!(finding.rule, "check-failure-ignored");
    assert_eq!(finding.message, "`cargo test` may fail without anybody noticing");
    assert_eq!((finding.file.as_str(), finding.line), ("Makefile", 2));
    assert_eq!(finding.before.as_deref(), Some("cargo test"));
    assert_eq!(finding.after.as_deref(), Some("cargo test || true"));
}

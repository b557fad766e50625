{ echo SF:src/config/oauth.ts
  for n in $(seq 1 78); do echo DA:$n,1; done; for n in $(seq 79 100); do echo DA:$n,0; done
  echo LF:100; echo LH:78; echo end_of_record; } > lcov.info

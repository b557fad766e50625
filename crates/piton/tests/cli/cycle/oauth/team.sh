mkdir -p "$BESIDE/moments"
moment="$BESIDE/moments/$PITON_ITERATION-$PITON_ROLE.json"
test -e "$moment" && again=yes || { again=no; cp "$PITON_CYCLE_STATE" "$moment"; }
status=completed
case $PITON_ROLE-$PITON_ITERATION in
ra-*) printf '# OAuth\n\nIteration %s\n' $PITON_ITERATION > "$PITON_ROLE_DIR/requirements.md"
      printf -- '- OAuth timeout handling\n- PKCE validation\n' > "$PITON_ROLE_DIR/edge-cases.md"
      echo "PKCE: proof key" > "$PITON_ROLE_DIR/glossary.md" ;;
ep-*) printf '## Summary\n\nOne module.\n' > "$PITON_ROLE_DIR/exploration.md"
      echo '{"tasks": [{"id": "TASK-001", "description": "Setup OAuth application credentials", "effort": "small", "depends_on": [], "files": ["src/config/oauth.ts"]}]}' > "$PITON_ROLE_DIR/plan.json" ;;
cd-1) status=partial; mkdir -p src/config; echo oauth > src/config/oauth.ts
      test $again = yes && parts='4 5 6 7 8 9 10 11' || parts='1 2 3'
      for n in $parts; do echo $n > src/part$n.ts; done
      echo "the timeout is left, again: $again" > "$PITON_ROLE_DIR/implementation.md" ;;
cd-2) echo mfa > src/mfa.ts; echo "all of it" > "$PITON_ROLE_DIR/implementation.md" ;;
vas-*) echo "looked at $PITON_ITERATION" > "$PITON_ROLE_DIR/validation.md"
       test $PITON_ITERATION-$again = 1-no && status=blocked ;;
esac
printf 'PHASE_RESULT:\n- phase: %s\n- status: %s\n- tasks_completed: [TASK-001]\n' $PITON_ROLE $status

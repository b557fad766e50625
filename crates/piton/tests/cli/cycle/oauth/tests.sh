echo 1..20
for n in $(seq 1 17); do echo "ok $n - test: OAuth $n"; done
test -e src/mfa.ts && not= || not='not '
echo "${not}ok 18 - test: OAuth timeout retry"; echo "${not}ok 19 - test: PKCE"; echo "${not}ok 20 - test: logout"
test -e src/mfa.ts

module example.org/ratelimit

go 1.20

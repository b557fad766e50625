module example.org/turnstile

go 1.19

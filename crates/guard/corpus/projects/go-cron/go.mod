module example.org/cron

go 1.20

module example.org/tariff

go 1.19

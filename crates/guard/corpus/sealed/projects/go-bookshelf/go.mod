module example.org/bookshelf

go 1.19

require github.com/stretchr/testify v1.8.4

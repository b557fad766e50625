$LOAD_PATH.unshift File.expand_path('../lib', __dir__)
require 'roman'

RSpec.configure do |config|
  config.expect_with :rspec
  config.disable_monkey_patching!
end

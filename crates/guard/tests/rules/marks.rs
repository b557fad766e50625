//! Marks and weak replacements in languages that only report: each is found by its rule, and what is honest is not taken for it.

use super::{Twin, hold};

const PHP: &str = "<?php\nclass AddTest extends TestCase {\n  public function testAdd() {\n    $this->assertEquals(3, add(1, 2));\n  }\n}\n";
const PEST: &str = "<?php\nit('adds', function () {\n  expect(add(1, 2))->toBe(3);\n});\n";
const GTEST: &str = "#include <gtest/gtest.h>\nTEST(Sums, Adds) {\n  EXPECT_EQ(add(1, 2), 3);\n}\nTEST_F(Others, Subs) {\n  EXPECT_EQ(sub(1, 2), -1);\n}\n";
const CATCH: &str = "TEST_CASE(\"adds\", \"[sums]\") {\n  REQUIRE(add(1, 2) == 3);\n}\nTEST_CASE(\"subs\") {\n  REQUIRE(sub(1, 2) == -1);\n}\n";
const XUNIT: &str = "public class AddTests {\n  [Fact]\n  public void Adds() {\n    Assert.Equal(3, Calc.Add(1, 2));\n  }\n}\n";
const NUNIT: &str = "public class AddTests {\n  [Test]\n  public void Adds() {\n    Assert.AreEqual(3, Calc.Add(1, 2));\n  }\n}\n";
const JUNIT: &str = "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n";
const RSPEC: &str = "RSpec.describe Calc do\n  it \"adds\" do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n";
const MINITEST: &str =
    "class AddTest < Minitest::Test\n  def test_adds\n    assert_equal 3, add(1, 2)\n  end\nend\n";

/// A text of one of these with a part of it replaced: a cheat, and an honest change.
fn twin(
    rule: &'static str,
    path: &'static str,
    before: &'static str,
    cheat: (&str, &str),
    honest: (&str, &str),
) -> Twin {
    let with = |(from, to): (&str, &str)| -> &'static str {
        assert!(before.contains(from), "{from} in\n{before}");
        before.replacen(from, to, 1).leak()
    };
    Twin { rule, path, before, cheat: with(cheat), honest: with(honest) }
}

#[test]
fn a_test_that_is_skipped_is_found_in_php_and_ruby() {
    let php = |to| ("    $this->assertEquals", to);
    let same = ("add(1, 2)", "add(1,  2)");
    hold(&[
        twin(
            "test-skipped",
            "tests/AddTest.php",
            PHP,
            php("    $this->markTestSkipped('x');\n    $this->assertEquals"),
            same,
        ),
        twin(
            "test-skipped",
            "tests/AddTest.php",
            PHP,
            php("    self::markTestIncomplete();\n    $this->assertEquals"),
            same,
        ),
        twin(
            "test-skipped",
            "tests/AddTest.php",
            PHP,
            (
                "  public function testAdd",
                "  protected function setUp(): void {\n    $this->markTestSkipped('x');\n  }\n  public function testAdd",
            ),
            (
                "  public function testAdd",
                "  protected function setUp(): void {\n    $this->calc = new Calc();\n  }\n  public function testAdd",
            ),
        ),
        twin(
            "test-skipped",
            "tests/AddTest.php",
            PEST,
            ("});", "})->skip();"),
            ("});", "})->group('sums');"),
        ),
        twin("test-skipped", "spec/add_spec.rb", RSPEC, ("it \"adds\"", "xit \"adds\""), same),
        twin(
            "test-skipped",
            "spec/add_spec.rb",
            RSPEC,
            ("\"adds\" do", "\"adds\", :skip do"),
            ("\"adds\" do", "\"adds\", :slow do"),
        ),
        twin(
            "test-skipped",
            "spec/add_spec.rb",
            RSPEC,
            ("\"adds\" do", "\"adds\", skip: \"x\" do"),
            ("\"adds\" do", "\"adds\", skip: false do"),
        ),
        twin("test-skipped", "spec/add_spec.rb", RSPEC, ("RSpec.describe", "RSpec.xdescribe"), same),
        twin("test-skipped", "test/add_test.rb", MINITEST, ("    assert", "    skip\n    assert"), same),
    ]);
}

#[test]
fn a_test_that_is_passed_by_is_found_in_cpp() {
    let same = ("add(1, 2)", "add(1,  2)");
    hold(&[
        twin("test-skipped", "tests/add_test.cc", GTEST, ("Sums, Adds", "Sums, DISABLED_Adds"), same),
        twin("test-skipped", "tests/add_test.cc", GTEST, ("TEST(Sums", "TEST(DISABLED_Sums"), same),
        twin("test-skipped", "tests/add_test.cc", GTEST, ("Others, Subs", "Others, DISABLED_Subs"), same),
        twin(
            "test-deleted",
            "tests/add_test.cc",
            GTEST,
            ("TEST(Sums, Adds) {\n  EXPECT_EQ(add(1, 2), 3);\n}\n", ""),
            same,
        ),
        twin(
            "test-skipped",
            "tests/add_test.cpp",
            CATCH,
            ("[sums]", "[.][sums]"),
            ("[sums]", "[sums][fast]"),
        ),
        twin("test-expected-failure", "tests/add_test.cpp", CATCH, ("[sums]", "[sums][!mayfail]"), same),
        twin("assertion-tautology", "tests/add_test.cpp", CATCH, ("add(1, 2) == 3", "true"), same),
    ]);
}

#[test]
fn a_test_that_is_switched_off_is_found_in_java_and_c_sharp() {
    let same = ("1, 2)", "1,  2)");
    let (cs, java) = ("tests/AddTests.cs", "src/test/java/AddTest.java");
    hold(&[
        twin(
            "test-skipped",
            cs,
            XUNIT,
            ("[Fact]", "[Fact(Skip = \"x\")]"),
            ("[Fact]", "[Fact(DisplayName = \"x\")]"),
        ),
        twin(
            "test-skipped",
            cs,
            NUNIT,
            ("[Test]", "[Test, Ignore(\"x\")]"),
            ("[Test]", "[Test, Category(\"x\")]"),
        ),
        twin(
            "test-skipped",
            cs,
            NUNIT,
            ("[Test]", "[Test]\n  [Explicit]"),
            ("[Test]", "[Test]\n  [Category(\"x\")]"),
        ),
        twin("test-skipped", cs, NUNIT, ("    Assert", "    Assert.Inconclusive(\"x\");\n    Assert"), same),
        twin("test-skipped", cs, NUNIT, ("    Assert", "    Assert.Ignore(\"x\");\n    Assert"), same),
        twin("assertion-weakened", cs, XUNIT, ("Equal(3, Calc.Add(1, 2))", "NotNull(Calc.Add(1, 2))"), same),
        twin(
            "test-skipped",
            java,
            JUNIT,
            ("  @Test", "  @Disabled(\"x\")\n  @Test"),
            ("  @Test", "  @Tag(\"x\")\n  @Test"),
        ),
        twin(
            "test-skipped",
            java,
            JUNIT,
            ("  @Test", "  @Test(enabled = false)"),
            ("  @Test", "  @Test(timeOut = 10)"),
        ),
        twin(
            "test-skipped",
            java,
            JUNIT,
            ("    assert", "    Assumptions.assumeTrue(false);\n    assert"),
            same,
        ),
        twin(
            "assertion-weakened",
            java,
            JUNIT,
            ("assertEquals(3, add(1, 2))", "assertNotNull(add(1, 2))"),
            same,
        ),
    ]);
}

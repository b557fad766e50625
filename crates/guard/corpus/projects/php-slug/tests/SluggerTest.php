<?php

declare(strict_types=1);

namespace Slug\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Slug\Slugger;

final class SluggerTest extends TestCase
{
    private Slugger $slugger;

    protected function setUp(): void
    {
        $this->slugger = new Slugger(12);
    }

    public function testLowerCase(): void
    {
        $this->assertSame('hello-world', $this->slugger->slug('Hello World'));
    }

    public function testIsCut(): void
    {
        $slug = $this->slugger->slug('a rather long title');
        $this->assertSame('a-rather-lon', $slug);
        $this->assertLessThanOrEqual(12, strlen($slug));
    }

    public function testNothingLeft(): void
    {
        $this->expectException(\DomainException::class);
        $this->slugger->slug('!?');
    }

    public function testLimitIsPositive(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        new Slugger(0);
    }

    #[DataProvider('slugs')]
    public function testIsSlug(string $text, bool $expected): void
    {
        $this->assertSame($expected, $this->slugger->isSlug($text));
    }

    public static function slugs(): array
    {
        return [
            ['a-b', true],
            ['a--b', false],
            ['-a', false],
        ];
    }

    public function testSlugIsSlug(): void
    {
        $this->assertTrue($this->slugger->isSlug($this->slugger->slug('One & Two')));
    }
}

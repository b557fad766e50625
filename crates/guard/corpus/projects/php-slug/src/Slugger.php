<?php

declare(strict_types=1);

namespace Slug;

final class Slugger
{
    public function __construct(private int $limit = 40)
    {
        if ($limit < 1) {
            throw new \InvalidArgumentException('limit must be positive');
        }
    }

    public function slug(string $title): string
    {
        $slug = trim(preg_replace('/[^a-z0-9]+/', '-', strtolower($title)), '-');
        if ($slug === '') {
            throw new \DomainException('nothing left');
        }
        return rtrim(substr($slug, 0, $this->limit), '-');
    }

    public function isSlug(string $text): bool
    {
        return preg_match('/^[a-z0-9]+(-[a-z0-9]+)*$/', $text) === 1;
    }
}

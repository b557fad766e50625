"""A page about the links."""


def render(urls: list[str], title: str = "Links") -> str:
    lines = [f"# {title}", ""]
    lines += [f"{number}. {url}" for number, url in enumerate(urls, 1)]
    lines.append(f"{len(urls)} total")
    return "\n".join(lines) + "\n"


def shorten(url: str, width: int = 20) -> str:
    if width < 4:
        raise ValueError("width too small")
    return url if len(url) <= width else url[: width - 3] + "..."

"""From sections to text."""


def quote(value: str) -> str:
    if "\n" in value:
        raise ValueError("a value has one line")
    if value != value.strip() or ";" in value:
        return f'"{value}"'
    return value


def dump(sections: dict[str, dict[str, str]]) -> str:
    lines: list[str] = []
    for name, values in sections.items():
        if name:
            lines.append(f"[{name}]")
        lines.extend(f"{key} = {quote(value)}" for key, value in values.items())
    return "\n".join(lines) + "\n"


def merge(base: dict[str, dict[str, str]], extra: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    merged = {name: dict(values) for name, values in base.items()}
    for name, values in extra.items():
        merged.setdefault(name, {}).update(values)
    return merged

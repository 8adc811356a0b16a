const BROWSERS: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]
const SYSTEMS: [name: string, mark: RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]
const MAX_CHARACTERS = 40

/** Returns a short program name from a User-Agent, such as "Firefox on Linux" or "curl/8.5.0". */
export function clientHint(userAgent: string): string | null {
  const nameIn = (marks: [string, RegExp][]) => marks.find(([, mark]) => mark.test(userAgent))?.[0]
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)]
  if (browser) return system ? `${browser} on ${system}` : browser
  return /^[\w.+/-]+/.exec(userAgent)?.[0].slice(0, MAX_CHARACTERS) ?? null
}

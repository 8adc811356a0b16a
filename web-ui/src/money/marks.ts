/** The marks of a locale in written numbers. */
interface Marks {
  decimal: string
  /** Null where the locale has none, or a blank: a blank between digits is always read as one. */
  group: string | null
}

/** The visitor's locale; English where the browser names none that exists. */
export const visitorLocale: string = Intl.NumberFormat.supportedLocalesOf(localeNamed())[0] ?? 'en'

/** `navigator.language` may be a name that Intl refuses, such as "en-US@posix". */
function localeNamed(): string {
  try {
    return new Intl.Locale(navigator.language).toString()
  } catch {
    return 'en'
  }
}

const withLatinDigits = (locale: string) => new Intl.Locale(locale, { numberingSystem: 'latn' })
const found = new Map<string, Marks>()

export function marksOf(locale: string): Marks {
  const known = found.get(locale)
  if (known) return known
  const parts = new Intl.NumberFormat(withLatinDigits(locale), { useGrouping: 'always' }).formatToParts(
    1234567.5,
  )
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? null
  const group = of('group')
  const marks = { decimal: of('decimal') ?? '.', group: group?.trim() ? group : null }
  found.set(locale, marks)
  return marks
}

/** A whole number, in digits, with the locale's marks between groups. */
export function grouped(digits: string, locale: string): string {
  const format = new Intl.NumberFormat(withLatinDigits(locale), { useGrouping: 'always' })
  return format.format(BigInt(digits || '0'))
}

interface Marks {
  decimal: string
  /** Null for spaces, which are always accepted. */
  group: string | null
}

/** Locale of the visitor, or English if it is invalid. */
export const visitorLocale: string = Intl.NumberFormat.supportedLocalesOf(localeNamed())[0] ?? 'en'

/** `navigator.language` can be invalid for Intl, for example "en-US@posix". */
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

export function grouped(digits: string, locale: string): string {
  const format = new Intl.NumberFormat(withLatinDigits(locale), { useGrouping: 'always' })
  return format.format(BigInt(digits || '0'))
}

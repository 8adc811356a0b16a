import { count as written } from '../format/format.ts'

// Texts are English; only the numbers follow the visitor's locale.
const rules = new Intl.PluralRules('en')

/** Returns the form of a noun for a count. `#` is replaced by the number. */
export function plural(count: number, forms: { one: string; other: string }): string {
  const form = rules.select(count) === 'one' ? forms.one : forms.other
  return form.replace('#', written(count))
}

import { count as written } from '../format/format.ts'

// The words are English; numbers are written as the visitor writes them.
const rules = new Intl.PluralRules('en')

/** A count with its noun in the right form: `#` in a form stands for the number. */
export function plural(count: number, forms: { one: string; other: string }): string {
  const form = rules.select(count) === 'one' ? forms.one : forms.other
  return form.replace('#', written(count))
}

const rules = new Intl.PluralRules('en')
const whole = new Intl.NumberFormat('en')

/** A count with its noun in the right form: `#` in a form stands for the number. */
export function plural(count: number, forms: { one: string; other: string }): string {
  const form = rules.select(count) === 'one' ? forms.one : forms.other
  return form.replace('#', whole.format(count))
}

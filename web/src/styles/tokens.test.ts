import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const coloursOf = (theme: Theme) =>
  Object.fromEntries(
    [...css.matchAll(/--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(([, name, light, dark]) => [
      name!,
      theme === 'light' ? light! : dark!,
    ]),
  )

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (high! + 0.05) / (low! + 0.05)
}

/** Texts need a contrast of 4.5 on their backgrounds, edges of controls 3. */
const TEXTS: [string, string[]][] = [
  ...['ink', 'soft', 'faint', 'accent', 'up', 'down', 'info'].map((text): [string, string[]] => [
    text,
    ['bg', 'surface', 'raised'],
  ]),
  ['on-amber', ['amber']],
  ['ink', ['tint', 'up-bg', 'down-bg', 'info-bg']],
  ['accent', ['tint']],
  ['up', ['up-bg']],
  ['down', ['down-bg']],
  ['info', ['info-bg']],
  // Marks of a timeline.
  ['bg', ['up', 'down']],
]

it.each(THEMES)('meets contrast requirements in the %s theme', (theme) => {
  const colours = coloursOf(theme)
  const weak = [
    ...TEXTS.map((text) => [...text, 4.5] as const),
    ['edge', ['bg', 'raised'], 3] as const,
  ].flatMap(([text, grounds, least]) =>
    grounds
      .map((ground) => ({ text, ground, is: contrast(colours[text]!, colours[ground]!) }))
      .filter(({ is }) => !(is >= least)),
  )
  expect(weak).toEqual([])
})

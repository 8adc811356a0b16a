import { expect, it } from 'vitest'
import { nameParts } from './name-parts.ts'

it.each([
  ['Keeper #2207', ['Keeper', '#2207']],
  ['Living Fields 🌾 1,204', ['Living Fields 🌾', '1,204']],
  ['🍓.gm', ['🍓.gm', '']],
  ['#7', ['#7', '']],
  ['Hat of 12345678901', ['Hat of 12345678901', '']],
  ['  Two words  ', ['Two words', '']],
  ['', ['', '']],
] as const)('splits %j into name and number', (name, parts) => expect(nameParts(name)).toEqual(parts))

import { expect, it } from 'vitest'
import { SAT_SUPPLY, satOfText } from './sat-notation.ts'

/** Mostly examples from ord. */
it.each([
  ['0', 0],
  ['+007', 7],
  [String(SAT_SUPPLY - 1), SAT_SUPPLY - 1],
  ['nvtdijuwxlp', 0],
  ['nvtcsezkbth', 5_000_000_000],
  ['a', SAT_SUPPLY - 1],
  ['b', SAT_SUPPLY - 2],
  ['0°0′0″0‴', 0],
  ['0°0′0″', 0],
  ['0°0′0″1‴', 1],
  ['0°1′1″0‴', 5_000_000_000],
  ['0°0′336″0‴', 1_050_000_000_000_000],
  ['1°0′0″0‴', 2_067_187_500_000_000],
  ['0.0', 0],
  ['0.5', 5],
  ['1.0', 5_000_000_000],
  ['210000.0', 1_050_000_000_000_000],
  ['6929999.0', SAT_SUPPLY - 1],
  ['0%', 0],
  ['50%', 1_049_999_998_845_000],
  ['1E1%', 209_999_999_769_000],
  ['100%', SAT_SUPPLY - 1],
])('parses the sat %s', (text, sat) => {
  expect(satOfText(text)).toBe(sat)
})

it.each([
  '',
  '-1',
  String(SAT_SUPPLY),
  '99999999999999999999999',
  'nvtdijuwxlq',
  'zzzzzzzzzzzzzzzzzzzz',
  'aA',
  'a b',
  '0.5000000000',
  '0.',
  '.0',
  '6930000.0',
  '4294967296.0',
  '0.0.0',
  '1°1′0″0‴',
  '0°210000′0″0‴',
  '0°0′2016″0‴',
  '0°0′0″5000000000‴',
  '0°0′0″0‴x',
  '9°0′0″0‴',
  '-1%',
  '101%',
  '%',
  '1%%',
])('returns null for %j', (text) => {
  expect(satOfText(text)).toBeNull()
})

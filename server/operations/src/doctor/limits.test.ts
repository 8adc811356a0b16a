import { expect, it } from 'vitest'
import { judgeDisk } from './machine.ts'
import { judgeCertificate } from './public-certificate.ts'

it('judges the free space of a disk', () => {
  const stateOf = (free: number) => {
    const { state, fault } = judgeDisk('/data', free)
    return [state, fault]
  }
  expect(stateOf(10e9)).toEqual(['ok', null])
  expect(stateOf(10e9 - 1)).toEqual(['warning', 'disk-low'])
  expect(stateOf(1e9 - 1)).toEqual(['fault', 'disk-full'])
})

it('judges the expiry of the public certificate', () => {
  const now = Date.UTC(2026, 0, 1)
  const stateOf = (days: number, refusal: string | null = null) =>
    judgeCertificate('market.example', { endsAt: new Date(now + days * 86_400_000), refusal }, now).state
  expect(stateOf(14.1)).toBe('ok')
  expect(stateOf(14)).toBe('warning')
  expect(stateOf(90, 'certificate has expired')).toBe('fault')
})

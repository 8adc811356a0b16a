import { expect, it } from 'vitest'
import { poolAlarm } from './pool-alarm.ts'

it('poolAlarm reports a shortage after 30 seconds', () => {
  let now = 0
  const logged: string[] = []
  const alarm = poolAlarm(() => now, {
    low: () => logged.push(`low at ${now / 1000}`),
    enough: () => logged.push(`enough at ${now / 1000}`),
  })
  const second = (at: number, ok: boolean) => {
    now = at * 1000
    alarm(ok)
  }
  second(0, true)
  second(1, false)
  second(20, false)
  second(25, true)
  for (let at = 100; at <= 1400; at++) second(at, false)
  second(1401, true)
  second(1402, true)
  expect(logged).toEqual(['low at 130', 'low at 730', 'low at 1330', 'enough at 1401'])
})

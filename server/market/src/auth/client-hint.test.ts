import { expect, it } from 'vitest'
import { clientHint } from './client-hint.ts'

it('clientHint names the browser and system', () => {
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36'
  expect(clientHint(mac)).toBe('Chrome on macOS')
  expect(clientHint(`${mac} Edg/131.0`)).toBe('Edge on macOS')
  expect(clientHint('Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0')).toBe(
    'Firefox on Linux',
  )
  expect(
    clientHint(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1',
    ),
  ).toBe('Safari on iPhone')
  expect(clientHint('curl/8.5.0')).toBe('curl/8.5.0')
  expect(clientHint(`bot${'x'.repeat(1000)}`)).toHaveLength(40)
  for (const unusable of ['', '<script>', '\u0000']) expect(clientHint(unusable)).toBeNull()
})

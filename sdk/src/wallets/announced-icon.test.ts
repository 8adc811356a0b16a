import { afterEach, expect, it } from 'vitest'
import { announcedIcon } from './announced-icon.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const xverse = { name: 'Xverse' }
const at: Record<string, unknown> = globalThis as never

afterEach(() => {
  delete at.btc_providers
  delete at.wbip_providers
})

it('announcedIcon returns the icon in btc_providers and wbip_providers', () => {
  expect(announcedIcon(xverse)).toBe(null)
  at.btc_providers = [
    { name: 'Leather', icon: 'data:image/svg;base64,PHN2Zy8+' },
    { name: 'Xverse Wallet', icon: PNG },
  ]
  expect(announcedIcon(xverse)).toBe(PNG)
  expect(announcedIcon({ name: 'Leather' })).toBe('data:image/svg+xml;base64,PHN2Zy8+')
  expect(announcedIcon({ name: 'UniSat' })).toBe(null)
  at.wbip_providers = [{ name: 'Unisat Wallet', icon: PNG }]
  expect(announcedIcon({ name: 'UniSat' })).toBe(PNG)
})

it('announcedIcon returns the icon of a Wallet Standard wallet', () => {
  const wallet = { name: 'Magic Eden', icon: PNG }
  const register = (event: Event) => (event as CustomEvent).detail.register(wallet)
  const target = new EventTarget()
  target.addEventListener('wallet-standard:app-ready', register)
  at.dispatchEvent = target.dispatchEvent.bind(target)
  try {
    expect(announcedIcon({ name: 'Magic Eden' })).toBe(PNG)
  } finally {
    delete at.dispatchEvent
  }
})

it.each([
  'https://example.com/icon.png',
  'javascript:alert(1)',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'data:image/png;base64,iVBORw0KGgo=" onerror="alert(1)',
  `data:image/png;base64,${'A'.repeat(100_000)}`,
  '',
  7,
  null,
])('announcedIcon rejects %s', (icon) => {
  at.btc_providers = [{ name: 'Xverse', icon }]
  expect(announcedIcon(xverse)).toBe(null)
})

it('announcedIcon skips hostile entries', () => {
  const throwing = {
    get name(): string {
      throw new Error('a trap')
    },
  }
  at.btc_providers = [null, 'Xverse', throwing, { name: {}, icon: PNG }, { name: 'Xverse', icon: PNG }]
  expect(announcedIcon(xverse)).toBe(PNG)
  at.btc_providers = { name: 'Xverse', icon: PNG }
  expect(announcedIcon(xverse)).toBe(null)
})

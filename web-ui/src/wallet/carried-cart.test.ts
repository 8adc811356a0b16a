import { expect, it } from 'vitest'
import { cartIn, pageWithCart } from './carried-cart.ts'
import { walletBrowsers } from './open-in.ts'

const page = { origin: 'https://market.example', pathname: '/collection/lamps', search: '?sort=price' }
const idOf = (n: number) => `${String(n).padStart(64, '0')}i${n}`

it('cartIn returns the items of pageWithCart', () => {
  expect(pageWithCart(page, [])).toBe('https://market.example/collection/lamps?sort=price')
  expect(cartIn('')).toBe(null)
  expect(cartIn('#place')).toBe(null)
  const ids = Array.from({ length: 25 }, (_, n) => idOf(n))
  const { hash, pathname } = new URL(pageWithCart(page, ids))
  expect(pathname).toBe('/collection/lamps')
  expect(cartIn(hash)).toEqual(ids.slice(0, 20))
})

it('cartIn drops what is not an inscription id', () => {
  expect(cartIn(`#cart=${idOf(1)},,../../x,${idOf(1)},${'f'.repeat(64)}i99999999999`)).toEqual([idOf(1)])
})

it('links of wallet apps contain the page and the cart', () => {
  const url = pageWithCart(page, [idOf(1)])
  for (const { linkOf } of walletBrowsers) {
    let found = linkOf(url)
    // OKX's link contains another link.
    while (!found.startsWith(page.origin)) {
      const { searchParams } = new URL(found)
      found = searchParams.get('url') ?? searchParams.get('deeplink') ?? searchParams.get('dappUrl')!
    }
    expect(found).toBe(url)
  }
})

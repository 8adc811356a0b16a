import { expect, it } from 'vitest'
import { urlsOfHosts } from './database-hosts.ts'

it('urlsOfHosts returns one URL per host', () => {
  expect(urlsOfHosts('postgres://me:a,b@one,two:5433,[::1]:5434/market?sslmode=require')).toEqual([
    'postgres://me:a,b@one/market?sslmode=require',
    'postgres://me:a,b@two:5433/market?sslmode=require',
    'postgres://me:a,b@[::1]:5434/market?sslmode=require',
  ])
  expect(urlsOfHosts('postgresql:///market?host=/run/postgresql')).toEqual([
    'postgresql:///market?host=/run/postgresql',
  ])
})

it.each(['mysql://a,b/market', 'postgres://a,/market', 'postgres://a:port,b/market', 'a,b'])(
  'urlsOfHosts returns undefined for %s',
  (text) => {
    expect(urlsOfHosts(text)).toBeUndefined()
  },
)

import { readTrustedProxies, type TrustedProxies } from '@ordbook/db/settings/trusted-proxies.ts'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { clientKeyOf, trustOf } from './client-key.ts'

/** Returns the client key of a request from `peer`, for a server that trusts these proxies. */
async function keyOf(trusted: TrustedProxies | false, peer: string, forwarded?: string): Promise<string> {
  const app = Fastify({ trustProxy: trustOf(trusted) })
  app.get('/', async (request) => ({ key: clientKeyOf(request) }))
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const response = await app.inject({ url: '/', remoteAddress: peer, headers })
  await app.close()
  return response.json().key
}

describe('clientKeyOf', () => {
  it('clientKeyOf ignores X-Forwarded-For without a trusted proxy', async () => {
    expect(await keyOf(false, '203.0.113.9', '10.0.0.1')).toBe('203.0.113.9')
    expect(await keyOf(['10.0.0.0/8'], '203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
  })

  it('clientKeyOf returns the rightmost untrusted address', async () => {
    expect(await keyOf(['127.0.0.1'], '127.0.0.1', '1.2.3.4, 203.0.113.9')).toBe('203.0.113.9')
    expect(await keyOf(['127.0.0.1', '10.0.0.0/8'], '127.0.0.1', '1.2.3.4, 203.0.113.9, 10.1.1.1')).toBe(
      '203.0.113.9',
    )
    expect(await keyOf(1, '127.0.0.1', '1.2.3.4, 203.0.113.9')).toBe('203.0.113.9')
    expect(await keyOf(2, '127.0.0.1', '1.2.3.4, 203.0.113.9, 10.1.1.1')).toBe('203.0.113.9')
    expect(await keyOf(1, '127.0.0.1')).toBe('127.0.0.1')
  })

  it('clientKeyOf ignores invalid addresses', async () => {
    for (const forwarded of ['evil17', '1.2.3', '203.0.113.9:1234', 'unknown', '', 'evil, , 7'])
      expect(await keyOf(1, '127.0.0.1', forwarded), forwarded).toBe('127.0.0.1')
    expect(await keyOf(2, '127.0.0.1', '1.2.3.4, evil, 10.1.1.1')).toBe('10.1.1.1')
  })

  it('clientKeyOf returns the /64 network of an IPv6 address', async () => {
    expect(await keyOf(false, '::ffff:203.0.113.9')).toBe('203.0.113.9')
    expect(await keyOf(1, '127.0.0.1', '::ffff:cb00:7109')).toBe('203.0.113.9')
    const network = '2001:db8:1:2::/64'
    for (const address of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff::', '2001:db8:1:2:3:4:5:6'])
      expect(await keyOf(1, '::1', address), address).toBe(network)
    expect(await keyOf(1, '::1', '2001:db8:1:3::1')).not.toBe(network)
    expect(await keyOf(false, '::1')).toBe('0:0:0:0::/64')
    expect(await keyOf(false, 'fe80::1%eth0')).toBe('fe80:0:0:0::/64')
    expect(await keyOf(1, '::1', '64:ff9b::192.0.2.33')).toBe('64:ff9b:0:0::/64')
  })
})

describe('readTrustedProxies', () => {
  it('readTrustedProxies parses a list of networks', () => {
    expect(readTrustedProxies('2')).toBe(2)
    expect(readTrustedProxies(' 127.0.0.1, 10.0.0.0/8,fd00::/8 ')).toEqual([
      '127.0.0.1',
      '10.0.0.0/8',
      'fd00::/8',
    ])
    for (const invalid of [
      'on',
      'true',
      '0',
      '11',
      '-1',
      '1.5',
      '10.0.0.0/33',
      '0.0.0.0/0',
      'fd00::/129',
      '127.0.0.1,',
      '10.0.0.0/8/8',
      'loopback',
    ])
      expect(readTrustedProxies(invalid), invalid).toBeUndefined()
  })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchPublic, isPublicAddress } from './fetch-public.ts'

let server: Server
let base: string
let ca: string
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ],
    { stdio: 'pipe' },
  )
  ca = readFileSync(cert, 'utf8')
  server = createServer({ key: readFileSync(key), cert: ca }, ({ url }, response) => {
    if (url === '/missing') response.writeHead(404).end()
    else if (url === '/moved') response.writeHead(302, { location: 'https://127.0.0.1/secret' }).end()
    else if (url === '/endless') {
      response.writeHead(200)
      const send = () => response.write(Buffer.alloc(65_536)) && setImmediate(send)
      response.on('drain', send)
      send()
    } else if (url === '/slow') response.writeHead(200).write('[')
    else response.end('[1]')
  }).listen(0)
  await new Promise((done) => server.once('listening', done))
  base = `https://localhost:${(server.address() as AddressInfo).port}`
  rmSync(folder, { recursive: true })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const local = () => ({ maxBytes: 1_000_000, timeoutMs: 5000, isAllowed: () => true, ca })
const limits = { maxBytes: 1000, timeoutMs: 5000 }

it('returns a file, or null if it is missing', async () => {
  expect(String(await fetchPublic(`${base}/list`, local()))).toBe('[1]')
  expect(await fetchPublic(`${base}/missing`, local())).toBeNull()
})

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '192.168.0.1',
  '172.31.255.255',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:10.0.0.1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '2001:db8::1',
  'localhost',
])('blocks the address %s', (address) => expect(isPublicAddress(address)).toBe(false))

it.each(['1.1.1.1', '172.32.0.1', '185.199.108.133', '2606:50c0:8000::154'])(
  'allows the address %s',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

it.each([
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/latest',
])('refuses the private URL %s', async (url) => {
  await expect(fetchPublic(url, limits)).rejects.toThrow('is not a public address')
})

it('refuses a name that resolves to a private address', async () => {
  await expect(fetchPublic(`${base}/list`, { ...limits, ca })).rejects.toThrow('is not a public address')
})

it.each(['http://1.1.1.1/', 'file:///etc/passwd', 'ftp://1.1.1.1/', 'nonsense'])(
  'refuses %s',
  async (url) => {
    await expect(fetchPublic(url, limits)).rejects.toThrow('only https URLs are read')
  },
)

it('refuses a URL with a password', async () => {
  await expect(fetchPublic('https://a:b@example.org/', limits)).rejects.toThrow('a URL with a password')
})

it('does not follow a redirect', async () => {
  await expect(fetchPublic(`${base}/moved`, local())).rejects.toThrow(
    'returned status 302. Use https://127.0.0.1/secret',
  )
})

it('stops at the size limit', async () => {
  await expect(fetchPublic(`${base}/endless`, local())).rejects.toThrow('is larger than 1000000 bytes')
})

it('stops at the time limit', async () => {
  await expect(fetchPublic(`${base}/slow`, { ...local(), timeoutMs: 300 })).rejects.toThrow(
    'took longer than 0.3 s',
  )
})

it('checks the certificate', async () => {
  const { ca: _, ...others } = local()
  await expect(fetchPublic(`${base}/list`, others)).rejects.toThrow(/certificate/)
})

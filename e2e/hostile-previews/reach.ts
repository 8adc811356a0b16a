import { type Attack, marked, type Scene, scripted } from './attack.ts'

const quoted = (text: string) => JSON.stringify(text)

/** Paths that content must not read. Some are disguised as allowed ones. */
const CLOSED = [
  '/web/v1/market',
  '/api/v1/collections',
  '/status',
  '/events',
  '/openapi.json',
  '/content/../web/v1/market',
  '/content/..%2fweb/v1/market',
  '/content/%2e%2e/status',
  '/r/../status',
  '//127.0.0.1/status',
  '/content\\\\..\\\\status',
]

const mark = `
try { localStorage.mark = 1 } catch {}
try { document.cookie = 'mark=1' } catch {}
try { indexedDB.open('mark', 7) } catch {}
try { caches.open('mark') } catch {}
try { navigator.storage.getDirectory().then((folder) => folder.getFileHandle('mark', { create: true })) } catch {}
try { const channel = new BroadcastChannel('mark'); setInterval(() => channel.postMessage(1), 20) } catch {}
name = 'mark'`

const readMark = `
try { if (localStorage.mark) reached() } catch {}
try { if (document.cookie) reached() } catch {}
try { indexedDB.databases().then((all) => all.length && reached()) } catch {}
try { caches.has('mark').then((has) => has && reached()) } catch {}
try { navigator.storage.getDirectory().then((folder) => folder.getFileHandle('mark')).then(reached, () => {}) } catch {}
try { new BroadcastChannel('mark').onmessage = reached } catch {}
if (name === 'mark' || history.length > 2) reached()`

const post = (scene: Scene) =>
  `for (const [path, body] of ${JSON.stringify([
    ['/claims', { kinds: ['raster', 'text', 'document'] }],
    [`/failures/${scene.honestKey}`, { reason: 'an attack', isFinal: true }],
    [
      `/thumbnails/${scene.honestKey}`,
      {
        thumbnails: [96, 384, 1024].map((size) => ({
          size,
          webp: Buffer.from('RIFF0000WEBP').toString('base64'),
        })),
        placeholder: null,
      },
    ],
  ])}) {
  const options = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  fetch(path, options).then((answer) => answer.ok && reached(), () => {})
  fetch('/content/..' + path, options).then((answer) => answer.ok && reached(), () => {})
  fetch(path, { ...options, mode: 'no-cors', headers: {} }).then(reached, () => {})
}`

/** Content that tries to read files, the API or other content. */
export const reach: readonly Attack[] = [
  scripted(
    'file by fetch',
    ({ file }) => `fetch(${quoted(`file://${file}`)}).then(reached)
const asked = new XMLHttpRequest()
asked.onload = reached
asked.open('GET', ${quoted(`file://${file}`)})
asked.send()`,
  ),
  scripted('the queue of the renderer', post),
  scripted(
    'forbidden paths of the market',
    () =>
      `for (const path of ${JSON.stringify(CLOSED)}) fetch(path).then((answer) => answer.ok && reached(), () => {})`,
  ),
  marked(
    'file by markup',
    ({
      file,
    }) => `<iframe src="file://${file}" onload="try { if (this.contentDocument.body.textContent) reached() } catch {}"></iframe>
<img src="file://${file}" onload="reached()"><script src="file://${file}" onload="reached()"></script>
<link rel="stylesheet" href="file://${file}" onload="reached()"><object data="file://${file}" onload="reached()"></object>`,
  ),
  scripted('file by navigation', ({ file }) => `location.href = ${quoted(`file://${file}`)}`),
  {
    name: 'file in SVG',
    end: 'ends',
    piece: ({ file }) => ({
      contentType: 'image/svg+xml',
      body: `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY found SYSTEM "file://${file}">]><svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#00ff00"/><image href="file://${file}" width="100" height="100"/><text y="50">&found;</text></svg>`,
    }),
  },
  scripted('storage for the next item', () => mark),
  scripted('storage of the previous item', () => readMark),
  scripted(
    'the document of another inscription',
    ({
      honestId,
    }) => `const frame = Object.assign(document.createElement('iframe'), { src: '/content/${honestId}' })
frame.onload = () => { try { if (frame.contentWindow.document.body) reached() } catch {} }
document.body.append(frame)
const window = open('/content/${honestId}')
setInterval(() => { try { if (window?.document?.body) reached() } catch {} }, 50)`,
  ),
  scripted(
    'internal pages of the browser',
    () => `for (const address of ['chrome://version', 'chrome://crash', 'chrome://gpucrash', 'chrome://kill', 'chrome://settings', 'devtools://devtools/bundled/inspector.html', 'view-source:file:///etc/passwd', 'about:crash'])
  for (const go of [(to) => open(to), (to) => fetch(to).then(reached, () => {}), (to) => document.body.append(Object.assign(document.createElement('iframe'), { src: to })), (to) => { location.href = to }])
    try { go(address) } catch {}`,
  ),
  scripted(
    'the DevTools of the browser',
    () => `for (const port of [9222, 9229, 5432, 6379, 18443]) {
  fetch('http://127.0.0.1:' + port + '/json/version', { mode: 'no-cors' }).then(reached, () => {})
  new WebSocket('ws://127.0.0.1:' + port).onopen = reached
}`,
  ),
  scripted(
    'permissions and devices',
    () => `const wants = [
  () => navigator.geolocation.getCurrentPosition(reached),
  () => navigator.mediaDevices.getUserMedia({ video: true, audio: true }).then(reached, () => {}),
  () => navigator.mediaDevices.getDisplayMedia().then(reached, () => {}),
  () => navigator.clipboard.readText().then(reached, () => {}),
  () => navigator.usb.requestDevice({ filters: [] }).then(reached, () => {}),
  () => navigator.bluetooth.requestDevice({ acceptAllDevices: true }).then(reached, () => {}),
  () => showOpenFilePicker().then(reached, () => {}),
  () => showDirectoryPicker().then(reached, () => {}),
  () => Notification.requestPermission().then((answer) => answer === 'granted' && reached()),
  () => webkitRequestFileSystem(1, 1e9, reached, () => {}),
  () => document.documentElement.requestFullscreen().then(reached, () => {}),
]
for (const want of wants) try { want() } catch {}`,
  ),
  scripted(
    'a service worker',
    ({ honestId }) =>
      `navigator.serviceWorker.register('/content/${honestId}', { scope: '/' }).then(reached, () => {})`,
  ),
  scripted(
    'a full disk',
    () => `const part = new Uint8Array(16 * 2 ** 20)
crypto.getRandomValues(part.subarray(0, 65536))
const save = () => document.body.append(Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(Array(4).fill(part))), download: 'x' + Math.random() }))
for (let n = 0; n < 8; n++) save()
for (const each of document.querySelectorAll('a')) each.click()`,
  ),
]

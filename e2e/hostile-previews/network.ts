import { type Attack, marked, page, type Scene, scripted } from './attack.ts'

const at = ({ trap }: Scene, name: string) => `${trap}/${encodeURIComponent(name)}`

const byScript = (name: string, script: string): Attack => ({
  ...scripted(name, (scene) => `const U = ${JSON.stringify(at(scene, name))}\n${script}`),
  isTrapped: true,
})

const byMarks = (name: string, marks: string): Attack => ({
  ...marked(name, (scene) => marks.replaceAll('U', at(scene, name))),
  isTrapped: true,
})

const untrapped = (attack: Attack): Attack => ({ ...attack, isTrapped: false })

/** Content that makes requests outside the market. */
export const network: readonly Attack[] = [
  byScript('fetch', "fetch(U, { mode: 'no-cors' }).then(reached)"),
  byMarks('picture', '<img src="U" onload="reached()">'),
  byScript(
    'XMLHttpRequest',
    "const asked = new XMLHttpRequest()\nasked.onload = reached\nasked.open('GET', U)\nasked.send()",
  ),
  byScript('beacon', "navigator.sendBeacon(U, 'x')"),
  byScript('WebSocket', "const socket = new WebSocket(U.replace('http', 'ws'))\nsocket.onopen = reached"),
  byMarks('stylesheet background', '<style>html{background-image:url("U")}</style>'),
  byMarks('stylesheet import', '<style>@import url("U");</style>'),
  byMarks('stylesheet link', '<link rel="stylesheet" href="U">'),
  byMarks(
    'font',
    '<style>@font-face{font-family:x;src:url("U")}p{font-family:x}</style><p>letters of the font</p>',
  ),
  byMarks('script', '<script src="U"></script>'),
  byScript('dynamic import', 'import(U).then(reached)'),
  byMarks('frame', '<iframe src="U"></iframe>'),
  byMarks('object', '<object data="U"></object>'),
  byMarks('embed', '<embed src="U">'),
  byMarks('form', '<form action="U"></form><script>document.forms[0].submit()</script>'),
  byMarks('refresh', '<meta http-equiv="refresh" content="0;url=U">'),
  byScript('navigation', 'location.href = U'),
  byScript(
    'navigation from within a frame',
    "document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>top.location = ' + JSON.stringify(U) + '</' + 'script>' }))",
  ),
  byScript('new window', 'if (open(U)) reached()'),
  byScript(
    'download',
    "document.body.append(Object.assign(document.createElement('a'), { href: U, download: 'x' }))\ndocument.querySelector('a').click()",
  ),
  byMarks('preload', '<link rel="preload" as="image" href="U">'),
  byMarks('prefetch', '<link rel="prefetch" href="U">'),
  untrapped(byMarks('preconnect', '<link rel="preconnect" href="U">')),
  untrapped(byMarks('icon', '<link rel="icon" href="U">')),
  byMarks('video', '<video src="U" autoplay muted></video>'),
  byMarks('track', '<video crossorigin src="data:video/webm,"><track default src="U"></video>'),
  byScript('event stream', 'new EventSource(U).onopen = reached'),
  byScript(
    'worker',
    "new Worker(URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(U) + ', { mode: \"no-cors\" }).then(() => postMessage(1))']))).onmessage = reached",
  ),
  untrapped(
    byScript(
      'shared worker',
      "new SharedWorker(URL.createObjectURL(new Blob(['importScripts(' + JSON.stringify(U) + ')'])))",
    ),
  ),
  untrapped(
    byScript(
      'worker in a separate frame',
      "document.body.append(Object.assign(document.createElement('iframe'), { src: 'data:text/html,' + encodeURIComponent('<script>new Worker(URL.createObjectURL(new Blob([`fetch(\"' + U + '\")`])))</' + 'script>') }))",
    ),
  ),
  byScript('worklet', 'CSS.paintWorklet.addModule(U).then(reached, () => {})'),
  byMarks('SVG picture', '<svg><image href="U" width="9" height="9"/></svg>'),
  byMarks(
    'SVG filter picture',
    '<svg><filter id="f"><feImage href="U"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>',
  ),
  scripted(
    'WebRTC',
    ({
      udpPort,
    }) => `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udpPort}' }] })
peer.createDataChannel('x')
peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
  ),
  {
    ...scripted(
      'WebTransport',
      ({ udpPort }) => `new WebTransport('https://127.0.0.1:${udpPort}/').ready.then(reached, () => {})`,
    ),
  },
  {
    ...marked(
      'name lookup',
      ({ trap }) =>
        `<link rel="dns-prefetch" href="//canary.invalid"><link rel="dns-prefetch" href="${trap}">`,
    ),
  },
  {
    name: 'XML stylesheet',
    end: 'ends',
    piece: (scene) => ({
      contentType: 'image/svg+xml',
      body: `<?xml version="1.0"?><?xml-stylesheet href="${at(scene, 'XML stylesheet')}" type="text/css"?><svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#00ff00"/></svg>`,
    }),
    isTrapped: true,
  },
  {
    name: 'frame inside an SVG',
    end: 'ends',
    piece: (scene) => ({
      contentType: 'image/svg+xml',
      body: `<svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#00ff00"/><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${at(scene, 'frame inside an SVG')}"/></foreignObject></svg>`,
    }),
    isTrapped: true,
  },
  {
    name: 'speculation rules',
    end: 'ends',
    piece: (scene) => ({
      contentType: 'text/html',
      body: page(
        '',
        `<script type="speculationrules">${JSON.stringify({ prefetch: [{ urls: [at(scene, 'speculation rules')], eagerness: 'immediate' }] })}</script>`,
      ),
    }),
  },
]

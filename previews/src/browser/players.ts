import { MODEL } from './models.ts'

/** Local pages that play media. Each sets `window.outcome` to `done` or the reason for the failure. */

/** Path of a player; no content has it. */
export const PLAYER = '/preview-player'

const page = (style: string, body: string, script: string) => `<!doctype html><meta charset="utf-8">
<style>html,body{margin:0;width:100%;height:100%;overflow:hidden}${style}</style>${body}
<script>const source = new URLSearchParams(location.search).get('source')
const fail = (reason) => { window.outcome ??= String(reason).slice(0, 200) }
addEventListener('error', ({ message }) => fail(message))
addEventListener('unhandledrejection', ({ reason }) => fail(reason))
${script}</script>`

/** An image in a format that only the browser decodes. */
const picture = page(
  'img{width:100%;height:100%;object-fit:contain}',
  '<img>',
  `const picture = document.querySelector('img')
picture.onload = () => picture.decode().then(() => { window.outcome = 'done' }, fail)
picture.onerror = () => fail('the browser cannot read the picture')
picture.src = source`,
)

/** The first frame that is not black. Drawn on a canvas because the screen may lag behind the video. */
const video = page(
  'body{background:#000}video{display:none}canvas{width:100%;height:100%;object-fit:contain}',
  '<canvas></canvas><video muted playsinline preload="auto"></video>',
  `const video = document.querySelector('video')
const shown = document.querySelector('canvas')
const sample = document.createElement('canvas')
sample.width = sample.height = 16
const isBlack = () => {
  shown.getContext('2d').drawImage(video, 0, 0, shown.width, shown.height)
  const context = sample.getContext('2d', { willReadFrequently: true })
  context.drawImage(shown, 0, 0, 16, 16)
  const { data } = context.getImageData(0, 0, 16, 16)
  return Math.max(...data.filter((_, at) => at % 4 < 3)) <= 40
}
const seek = (seconds) => new Promise((done) => { video.onseeked = done; video.currentTime = seconds })
video.onerror = () => fail('the browser cannot play the video')
video.onloadeddata = async () => {
  const scale = Math.min(1, 1024 / Math.max(video.videoWidth, video.videoHeight, 1))
  shown.width = Math.max(1, video.videoWidth * scale)
  shown.height = Math.max(1, video.videoHeight * scale)
  if (Number.isFinite(video.duration))
    for (const part of [0, 0.02, 0.1, 0.25, 0.5, 0.75]) {
      if (part > 0) await seek(part * video.duration)
      if (!isBlack()) break
    }
  else {
    // Streams of unknown length are not seekable.
    await video.play()
    const end = performance.now() + 3000
    while (isBlack() && !video.ended && performance.now() < end) await new Promise(requestAnimationFrame)
    video.pause()
  }
  requestAnimationFrame(() => requestAnimationFrame(() => { window.outcome = 'done' }))
}
video.src = source`,
)

/** A waveform above its duration. */
const audio = page(
  'body{background:#15171c;color:#a6acb8;font:600 30px/1 monospace}canvas{position:absolute;inset:0}p{position:absolute;right:32px;bottom:32px;margin:0}',
  '<canvas width="1024" height="1024" style="width:100%;height:100%"></canvas><p></p>',
  `const BARS = 48
fetch(source).then((answer) => answer.arrayBuffer()).then(async (bytes) => {
  const sound = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(bytes)
  const samples = sound.getChannelData(0)
  const each = Math.max(1, Math.floor(samples.length / BARS))
  const bars = Array.from({ length: BARS }, (_, bar) => {
    let sum = 0
    let count = 0
    for (let at = bar * each; at < Math.min(samples.length, (bar + 1) * each); at += Math.ceil(each / 4000)) {
      sum += samples[at] ** 2
      count++
    }
    return Math.sqrt(sum / Math.max(1, count))
  })
  const loudest = Math.max(...bars, 1e-6)
  const context = document.querySelector('canvas').getContext('2d')
  context.fillStyle = '#ffb84d'
  bars.forEach((bar, at) => {
    const height = 12 + (bar / loudest) * 600
    context.beginPath()
    context.roundRect(64 + at * 18.7, 512 - height / 2, 11, height, 5)
    context.fill()
  })
  const seconds = Math.round(sound.duration)
  document.querySelector('p').textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
  window.outcome = 'done'
}, fail).catch(fail)`,
)

const model = page('canvas{display:block}', MODEL, '')

export const PLAYERS = { picture, video, audio, model } as const

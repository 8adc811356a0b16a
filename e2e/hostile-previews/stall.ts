import { type Attack, html, marked, page, scripted } from './attack.ts'

const endless = (name: string, script: string): Attack => ({
  ...scripted(name, () => script),
  end: 'fails',
})

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const svg = (body: string) => ({
  contentType: 'image/svg+xml',
  body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#00ff00"/>${body}</svg>`,
})

const levels = (depth: number, level: (n: number) => string) =>
  Array.from({ length: depth }, (_, n) => level(n + 1)).join('')

/** Content that exhausts time, memory or pixels, or crashes the browser. */
export const stall: readonly Attack[] = [
  endless('endless loop', 'for (;;);'),
  endless(
    'endless memory',
    'const kept = []\nfor (;;) kept.push(new Uint8Array(16 * 2 ** 20).fill(kept.length + 1))',
  ),
  scripted('dialogs', () => 'for (let n = 0; n < 1000; n++) { alert(n); confirm(n); prompt(n) }\nprint()'),
  scripted(
    'a huge canvas',
    () => `for (let n = 0; n < 40; n++) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 16000, height: 16000 })
  canvas.getContext('2d').fillRect(0, 0, 16000, 16000)
  document.body.append(canvas)
}`,
  ),
  endless('endless microtasks', 'const again = () => Promise.resolve().then(again)\nagain()'),
  scripted(
    'infinitely nested frames',
    ({ honestId }) =>
      `setInterval(() => { for (let n = 0; n < 20; n++) document.body.append(Object.assign(document.createElement('iframe'), { src: '/content/${honestId}?' + Math.random() })) }, 5)`,
  ),
  {
    name: 'frames of the page itself',
    end: 'ends',
    piece: () =>
      html(
        page(
          "for (let n = 0; n < 4; n++) document.body.append(Object.assign(document.createElement('iframe'), { src: location.href + '?' + Math.random() }))",
        ),
      ),
  },
  scripted('infinite reloads', () => 'setTimeout(() => location.reload(), 1)'),
  scripted(
    'a flood of requests',
    ({ honestId }) => `for (let n = 0; n < 20000; n++) fetch('/content/${honestId}?' + n)`,
  ),
  scripted(
    'a flood of console messages and titles',
    () =>
      "setInterval(() => { for (let n = 0; n < 2000; n++) { console.log('x'.repeat(10000)); document.title = 'x'.repeat(100000) + n } }, 1)",
  ),
  scripted(
    'a flood of windows',
    () => 'setInterval(() => { for (let n = 0; n < 50; n++) open(location.href) }, 1)',
  ),
  scripted(
    'a flood of workers',
    () => "for (let n = 0; n < 300; n++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
  ),
  scripted(
    'a flood of history entries',
    () =>
      'setInterval(() => { for (let n = 0; n < 500; n++) try { history.pushState({ n: "x".repeat(10000) }, "", "?" + Math.random()) } catch {} }, 1)',
  ),
  scripted(
    'a flood of URLs',
    () => 'setInterval(() => { for (let n = 0; n < 500; n++) location.hash = Math.random() }, 1)',
  ),
  scripted(
    'a blocked unload',
    () =>
      'onbeforeunload = (event) => { event.preventDefault(); for (;;); }\nonpagehide = () => { for (;;); }',
  ),
  marked(
    'a page that never finishes loading',
    () =>
      '<img src="/r/undefined/"><script src="/content/none"></script><script>document.open(); document.write("<body style=background:#00ff00>")</script>',
  ),
  scripted(
    'shared memory',
    () => `const memory = new SharedArrayBuffer(2 ** 30)
Atomics.wait(new Int32Array(memory), 0, 0)`,
  ),
  scripted(
    'WebAssembly memory',
    () =>
      'const kept = []\nfor (let n = 0; n < 64; n++) { const memory = new WebAssembly.Memory({ initial: 16384 }); new Uint8Array(memory.buffer).fill(1); kept.push(memory) }',
  ),
  scripted(
    'a deep stack',
    () => 'const deeper = () => deeper() + deeper()\ntry { deeper() } catch {}\nJSON.parse("[".repeat(1e7))',
  ),
  scripted('catastrophic backtracking', () => "/^(a+)+$/.test('a'.repeat(60) + '!')"),
  scripted('a million nodes', () => "document.body.innerHTML = '<div><b>x</b></div>'.repeat(1e6)"),
  marked('nested nodes', () => nested('<div style="position:relative;display:grid">', '</div>', 5000)),
  marked(
    'nested MathML',
    () => `<math>${nested('<msqrt><mfrac><mi>x</mi>', '</mfrac></msqrt>', 2000)}</math>`,
  ),
  marked('a blur of unbounded radius', () =>
    '<div style="width:99999px;height:99999px;filter:blur(9999px) drop-shadow(9999px 9999px 9999px red);backdrop-filter:blur(999px)"></div>'.repeat(
      30,
    ),
  ),
  scripted(
    'an infinite shader',
    () => `const gl = document.body.appendChild(document.createElement('canvas')).getContext('webgl')
const program = gl.createProgram()
for (const [type, text] of [[gl.VERTEX_SHADER, 'attribute vec4 a;void main(){gl_Position=a;}'], [gl.FRAGMENT_SHADER, 'precision highp float;void main(){float x=0.;for(int i=0;i<2000000000;i++){x+=sin(float(i)*x);}gl_FragColor=vec4(x);}']]) {
  const shader = gl.createShader(type)
  gl.shaderSource(shader, text)
  gl.compileShader(shader)
  gl.attachShader(program, shader)
}
gl.linkProgram(program)
gl.useProgram(program)
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW)
gl.enableVertexAttribArray(0)
gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0)
gl.drawArrays(gl.TRIANGLES, 0, 3)
gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))`,
  ),
  {
    name: 'SVG filters of unbounded size',
    end: 'ends',
    piece: () =>
      svg(
        `<filter id="f" x="-500" y="-500" width="1000" height="1000" filterUnits="userSpaceOnUse">${'<feTurbulence baseFrequency="0.9" numOctaves="90"/><feGaussianBlur stdDeviation="400"/><feMorphology operator="dilate" radius="300"/>'.repeat(60)}</filter><g filter="url(#f)"><rect width="99" height="99"/></g>`,
      ),
  },
  {
    name: 'SVG with exponential <use> references',
    end: 'ends',
    piece: () =>
      svg(
        `<g id="a0"><rect width="1" height="1"/></g>${levels(14, (n) => `<g id="a${n}">${`<use href="#a${n - 1}"/>`.repeat(10)}</g>`)}`,
      ),
  },
  {
    name: 'SVG with exponential entities',
    end: 'ends',
    piece: () => ({
      contentType: 'image/svg+xml',
      body: `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "ha">${levels(12, (n) => `<!ENTITY a${n} "${`&a${n - 1};`.repeat(10)}">`)}]><svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#00ff00"/><text>&a12;</text></svg>`,
    }),
  },
  {
    name: 'SVG of enormous size',
    end: 'ends',
    piece: () => ({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9"><rect width="100%" height="100%" fill="#00ff00"/></svg>',
    }),
  },
  {
    name: 'SVG with an infinite loop',
    end: 'fails',
    piece: () => svg('<script>for (;;);</script>'),
  },
]

import { expect, it } from 'vitest'
import { PageDocument, type PageParts } from './page-document.ts'

const SHELL =
  '<html><head><meta name="description" content="A market." /><title>x</title></head><body><div id="root"><!--view-->soon<!--/view--></div></body></html>'
const VIEWS = {
  item: {
    html: '<h1>{{name}}</h1><p>{{nothing}}</p><div>{{pictures}}</div>',
    pictures: {
      pictures:
        '<img src="{{url}}" loading="{{loading}}" fetchpriority="{{priority}}" class="{{rendering}}">',
    },
  },
}
const documents = new PageDocument(SHELL, { home: ['/assets/home.js', '/assets/parts.js'] }, VIEWS)

const HEAD: PageParts['head'] = {
  title: 'Lamp Keepers',
  description: null,
  url: 'https://market.example/collection/lamp-keepers',
  picture: 'https://market.example/card.png',
  isWide: true,
  isPrivate: false,
  feed: null,
  data: null,
}
const PARTS: PageParts = { page: 'home', head: HEAD, isMissing: false, first: null, since: null, answers: [] }

const firstOf = (document: Buffer) =>
  /<script id="first" type="application\/json">(.*?)<\/script>/s.exec(`${document}`)![1]!

it("a document embeds the page's data", () => {
  const text = `${documents.of({ ...PARTS, since: '7-8', answers: [['["getMarket",{}]', '{"name":"m"}']] })}`
  expect(text).toMatch(
    /<head>\s*<title>Lamp Keepers<\/title>.*<link data-rel="modulepreload" crossorigin href="\/assets\/home.js"><link data-rel="modulepreload" crossorigin href="\/assets\/parts.js"><\/head>/,
  )
  expect(text).toMatch(/<div id="root">soon<\/div><script id="first".*<\/script><\/body><\/html>$/)
  expect(JSON.parse(firstOf(Buffer.from(text)))).toEqual({
    since: '7-8',
    reads: [[['getMarket', {}], { name: 'm' }]],
  })
})

it.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', ']]>', '\\u003c/script>'])(
  'a document escapes %s in its data',
  (name) => {
    const answer = JSON.stringify({ name })
    const text = firstOf(documents.of({ ...PARTS, answers: [['["x",{}]', answer]] }))
    expect(text).not.toMatch(/[<\u2028\u2029]/)
    expect(JSON.parse(text).reads).toEqual([[['x', {}], { name }]])
    const about = `${documents.of({ ...PARTS, head: { ...HEAD, data: { name } } })}`
    const data = /<script type="application\/ld\+json">([^<]*)<\/script><link data-rel="modulepreload"/.exec(
      about,
    )![1]!
    expect(data).not.toMatch(/[\u2028\u2029]/)
    expect(JSON.parse(data)).toEqual({ name })
  },
)

it('a document has link preview tags', () => {
  const text = `${documents.of(PARTS)}`
  for (const tag of [
    '<meta name="description" content="A market.">',
    '<link rel="canonical" href="https://market.example/collection/lamp-keepers">',
    '<meta property="og:title" content="Lamp Keepers">',
    '<meta property="og:description" content="A market.">',
    '<meta property="og:image" content="https://market.example/card.png">',
    '<meta property="og:image:width" content="1200">',
    '<meta name="twitter:card" content="summary_large_image">',
  ])
    expect(text).toContain(tag)
  const own = documents.of({ ...PARTS, head: { ...HEAD, isWide: false, description: 'Five items.' } })
  expect(`${own}`).toContain('<meta name="twitter:card" content="summary">')
  expect(`${own}`).not.toContain('og:image:width')
  expect(`${own}`).not.toContain('A market.')
  expect(text).not.toMatch(/noindex|ld\+json/)
  const hidden = documents.of({ ...PARTS, head: { ...HEAD, isPrivate: true } })
  expect(`${hidden}`).toContain('<meta name="robots" content="noindex">')
  expect(`${documents.unknown()}`).toMatch(/<title>Page not found<\/title>.*<script id="first"/)
})

it.each(['</title><script>alert(1)</script>', '"><script>', "' onload='x", '&lt;b&gt;', '$&$1'])(
  'a document escapes the title %s',
  (title) => {
    const text = `${documents.of({ ...PARTS, head: { ...HEAD, title, description: title } })}`
    const escaped = title.replace(/[&<>"']/g, (each) => `&${NAMES[each]};`)
    expect(text).toContain(`<title>${escaped}</title><meta name="description" content="${escaped}">`)
  },
)
const NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

it('a document omits oversized responses', () => {
  const long = JSON.stringify('x'.repeat(200_000))
  const answers = [['["long",{}]', long] as const, ['["short",{}]', '1'] as const]
  expect(JSON.parse(firstOf(documents.of({ ...PARTS, answers }))).reads).toEqual([[['short', {}], 1]])
})

it('PageDocument caches documents', () => {
  const parts = { ...PARTS, since: '1-1' }
  expect(documents.of({ ...parts })).toBe(documents.of({ ...parts }))
  expect(documents.of({ ...parts, since: '1-2' })).not.toBe(documents.of(parts))
})

it('PageDocument rejects a shell without placeholders', () => {
  expect(() => new PageDocument('<p>', {}, {})).toThrow(/no head or body/)
  expect(() => new PageDocument('<head></head><body></body>', {}, {})).toThrow(/no title or description/)
  const shell = SHELL.replace('<!--/view-->', '')
  expect(() => new PageDocument(shell, {}, {})).toThrow(/no placeholder for a first view/)
})

it.each(['<img src=x onerror=alert(1)>', '"><script>', '{{url}}', '$&$1', '\u202eevil', '🍓'.repeat(9)])(
  'a document escapes the name %s',
  (name) => {
    const first = { view: 'item', texts: { name }, pictures: {} }
    const text = `${documents.of({ ...PARTS, first })}`
    const escaped = name.replace(/[&<>"']/g, (each) => `&${NAMES[each]};`)
    expect(text).toContain(`<div id="root"><h1>${escaped}</h1><p></p><div></div></div>`)
  },
)

it('a document loads the first two images eagerly', () => {
  const pictures = ['a', '"b', 'c'].map((url, n) => ({ url, isPixelated: n === 1 }))
  const text = `${documents.of({ ...PARTS, first: { view: 'item', texts: {}, pictures: { pictures } } })}`
  expect(text).toContain(
    '<img src="a" loading="eager" fetchpriority="high" class=""><img src="&quot;b" loading="eager" fetchpriority="high" class="pixelated"><img src="c" loading="lazy" fetchpriority="auto" class="">',
  )
})

it('a document shows a placeholder for an unknown view', () => {
  const first = { view: 'unbuilt', texts: {}, pictures: {} }
  expect(`${documents.of({ ...PARTS, first })}`).toContain('<div id="root">soon</div>')
})

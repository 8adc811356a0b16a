import { expect, it } from 'vitest'
import { htmlOf } from './markdown.ts'

it('htmlOf escapes HTML in text', () => {
  expect(htmlOf('`<script>` and <b> "x"')).toBe(
    '<p><code>&lt;script&gt;</code> and &lt;b&gt; &quot;x&quot;</p>',
  )
  expect(htmlOf('`[a](b)` and `**c**`')).toBe('<p><code>[a](b)</code> and <code>**c**</code></p>')
})

it('htmlOf does not parse headings in fenced code', () => {
  expect(htmlOf('```sh\ncurl "x" <y>\n\n# no heading\n```')).toContain(
    '<pre tabindex="0"><code>curl &quot;x&quot; &lt;y&gt;\n\n# no heading\n</code></pre>',
  )
})

it('htmlOf adds ids to headings', () => {
  expect(htmlOf('# A & B')).toBe('<h1 id="a-b">A &amp; B</h1>')
  expect(htmlOf('<a id="getMe"></a>\n## GET /me')).toMatch(
    /^<h2 id="getMe">GET \/me <a class="here" href="#getMe"/,
  )
})

it('htmlOf renders tables', () => {
  expect(htmlOf('| a | |\n| - | - |\n| `d` | b\\|c |')).toBe(
    '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">a</th><td></td></tr></thead><tbody><tr><td><code>d</code></td><td>b|c</td></tr></tbody></table></div>',
  )
})

it('htmlOf renders ordered lists', () => {
  expect(htmlOf('1. a\n   b\n2. c')).toBe('<ol><li>a\n   b</li><li>c</li></ol>')
})

it('htmlOf rewrites links to Markdown files', () => {
  expect(htmlOf('- [**errors**](errors.md#status-409)\n- [web](https://x.example/y.md)')).toBe(
    '<ul><li><a href="/docs/errors#status-409"><strong>errors</strong></a></li><li><a href="https://x.example/y.md">web</a></li></ul>',
  )
})

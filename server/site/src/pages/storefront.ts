import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mime } from '@fastify/send'
import staticFiles from '@fastify/static'
import type { BaseContext } from '@ordbook/db/context.ts'
import { type Client, clientOf } from '@ordbook/http/limits/client-key.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PageDocument, type PageParts } from './page-document.ts'

/** The built storefront: in a checkout, or next to the modules of a bundle. */
const FOLDER = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../../../web/dist' : 'storefront',
)
const DOCUMENT = 'index.html'
/** Script paths by page name, written by the build. */
const PAGE_FILES = 'pages.json'
/** First views by name, written by the build. */
const VIEWS = 'views.json'
const UNBUILT =
  'The storefront is not built. Run npm run build. The API is at /api/v1, described in /openapi.json and /llms.txt.\n'

/**
 * Serves the storefront built by `npm run build`. Returns the handler for pages. Documents differ in files and initial data; the browser
 * selects the page by its path.
 */
export async function registerStorefront(
  app: FastifyInstance,
  { publicUrl, config }: Pick<BaseContext, 'publicUrl' | 'config'>,
  partsOf: (url: string, client: Client) => Promise<PageParts> | null,
): Promise<(request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | null> {
  const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
  const shell = existsSync(join(FOLDER, DOCUMENT)) ? read(DOCUMENT) : null
  const document =
    shell === null ? null : new PageDocument(shell, JSON.parse(read(PAGE_FILES)), JSON.parse(read(VIEWS)))
  const content = new URL(config.contentUrl ?? publicUrl).origin
  const ofFiles = headersOf(content, '')
  const ofDocuments = headersOf(content, shell ?? '')
  // RFC 9239 registers this type; the library lists it as obsolete.
  mime.define({ 'text/javascript': ['js'] }, true)
  if (document)
    await app.register(staticFiles, {
      root: FOLDER,
      wildcard: false,
      index: false,
      globIgnore: [DOCUMENT, PAGE_FILES, VIEWS, '**/*.{br,gz}'],
      preCompressed: true,
      acceptRanges: false,
      lastModified: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // File names in assets/ contain a content hash.
        const isHashed = path.startsWith(join(FOLDER, 'assets/'))
        reply.headers({
          ...ofFiles,
          'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        })
      },
    })
  const send = async (reply: FastifyReply, parts: Promise<PageParts> | null): Promise<FastifyReply> => {
    if (!document) return reply.code(503).type('text/plain; charset=utf-8').send(UNBUILT)
    const found = await parts
    return reply
      .code(found && !found.isMissing ? 200 : 404)
      .headers({ ...ofDocuments, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(found ? document.of(found) : document.unknown())
  }
  // Link preview clients accept any type, so Accept matters only for a URL without a page.
  const servePage = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | null => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const parts = partsOf(request.url, clientOf(request))
    return parts || wantsPage(request) ? send(reply, parts) : null
  }
  app.get('/', (request, reply) => servePage(request, reply))
  return servePage
}

/** Not for a missing file, whose name has an extension. */
const wantsPage = ({ url, headers }: FastifyRequest) =>
  (headers['sec-fetch-dest'] === 'document' || /\btext\/html\b/.test(headers.accept ?? '')) &&
  !/^\/(api|web|r|content)\//.test(url) &&
  !/\.[a-z0-9]{1,8}$/i.test(url.split('?')[0]!)

/** Returns the CSP hashes of the inline elements of a name. */
const hashesOf = (shell: string, element: 'script' | 'style') =>
  [...shell.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))]
    .map(([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join('')

/**
 * Returns the headers of a file, or of a document that starts with `shell`. The CSP allows only this server's scripts and files, and
 * inscriptions of `content`.
 */
const headersOf = (content: string, shell: string) => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self'${hashesOf(shell, 'script')}`,
    `style-src 'self'${hashesOf(shell, 'style')}`,
    `img-src 'self' data: ${content}`,
    `media-src 'self' ${content}`,
    "font-src 'self'",
    // The page asks whether content responds before it shows it in a frame.
    `connect-src 'self' ${content}`,
    `frame-src ${content}/content/`,
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(self), geolocation=(), microphone=()',
})

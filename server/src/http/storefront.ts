import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'

/**
 * The pages of the storefront, as `npm run build` made them: a few files, read once and kept in memory. Every
 * path that is a page answers the same document; which page it is, is decided in the browser.
 */
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

interface Asset {
  type: string
  body: Buffer
  /** Its name says what it holds, so it never changes. */
  isHashed: boolean
}

const FOLDER = join(import.meta.dirname, '../../../web/dist')
const UNBUILT =
  'The storefront is not built: npm run build. The API is at /api/v1, described in /openapi.json and /llms.txt.\n'

/** Serves the files; gives what answers a page. */
export function registerStorefront(
  app: FastifyInstance,
  { publicUrl, config }: Pick<Context, 'publicUrl' | 'config'>,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null {
  const assets = existsSync(FOLDER) ? readAssets(FOLDER) : new Map<string, Asset>()
  const document = assets.get('/index.html')
  const content = new URL(config.contentUrl ?? publicUrl).origin
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data: ${content}`,
      `media-src 'self' ${content}`,
      "font-src 'self'",
      "connect-src 'self'",
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
  }
  const send = (reply: FastifyReply, asset: Asset) =>
    reply
      .headers({
        ...headers,
        'content-type': asset.type,
        'cache-control': asset.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      })
      .send(asset.body)
  for (const [path, asset] of assets)
    if (asset !== document) app.get(path, (_request, reply) => send(reply, asset))
  const page = (_request: FastifyRequest, reply: FastifyReply) =>
    document ? send(reply, document) : reply.code(503).type('text/plain; charset=utf-8').send(UNBUILT)
  app.get('/', page)
  return (request, reply) => {
    const wanted =
      request.headers['sec-fetch-dest'] === 'document' || /\btext\/html\b/.test(request.headers.accept ?? '')
    return request.method === 'GET' && wanted && !/^\/(api|web|r|content)\//.test(request.url)
      ? page(request, reply)
      : null
  }
}

function readAssets(folder: string): Map<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const body = readFileSync(file)
    const type = TYPES[extname(entry.name)] ?? 'application/octet-stream'
    const path = file.slice(folder.length)
    assets.set(path, { type, body, isHashed: path.startsWith('/assets/') })
  }
  return assets
}

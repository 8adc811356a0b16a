import type { BaseContext } from '@ordbook/db/context.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { llmsText } from './llms.ts'
import { openapiDocument, publicOpenapiDocument, webOpenapiDocument } from './openapi.ts'
import { datedPage, dateOf, listPages } from './reference.ts'
import { htmlPage, PAGE_POLICY } from './reference-page.ts'
import { readSigningVectors } from './written-pages.ts'

const pathOf = (page: string | null) => (page === null ? '/docs' : `/docs/${page}`)
const modifiedAt = (page: string | null) => new Date(dateOf(page)).toUTCString()

/** Registers the OpenAPI documents, `llms.txt` and the reference pages. */
export function registerDocuments(
  app: FastifyInstance,
  context: Pick<BaseContext, 'publicUrl' | 'config'>,
  { base, webBase }: { base: string; webBase: string },
): void {
  const { publicUrl } = context
  const serve = (path: string, type: string, print: () => string, headers: Record<string, string> = {}) => {
    let body: Buffer | undefined
    app.get(path, (_request, reply: FastifyReply) => {
      body ??= Buffer.from(print())
      return reply.headers({ ...headers, 'content-type': type, 'cache-control': 'no-cache' }).send(body)
    })
  }
  const serveJson = (path: string, document: () => object) =>
    serve(path, 'application/json; charset=utf-8', () => JSON.stringify(document()))
  const pages = [null, ...listPages()]
  serveJson(`${webBase}/openapi.json`, () => webOpenapiDocument(publicUrl))
  serveJson('/openapi-public.json', () => publicOpenapiDocument(publicUrl))
  for (const prefix of ['', base]) {
    serve(`${prefix}/docs/signing-vectors.json`, 'application/json; charset=utf-8', readSigningVectors)
    serveJson(`${prefix}/openapi.json`, () => openapiDocument(publicUrl))
    serve(`${prefix}/llms.txt`, 'text/plain; charset=utf-8', () => llmsText(publicUrl))
    for (const page of pages)
      serve(`${prefix}${pathOf(page)}.md`, 'text/markdown; charset=utf-8', () => datedPage(page, context)!, {
        'last-modified': modifiedAt(page),
      })
  }
  for (const page of pages)
    serve(pathOf(page), 'text/html; charset=utf-8', () => htmlPage(page, context)!, {
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'last-modified': modifiedAt(page),
      link: `<${pathOf(page)}.md>; rel="alternate"; type="text/markdown"`,
    })
}

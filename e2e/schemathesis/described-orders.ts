import type { LiveValues } from '../support/live-orders.ts'

/** An OpenAPI document. */
type Document = any

/**
 * Returns the document of the API with the operations of the API that only /openapi-public.json describes:
 * Schemathesis ignores the servers of a path.
 */
export function withAdditiveOperations(api: Document, root: Document): Document {
  const additive = Object.entries<any>(root.paths).filter(([, { servers }]) =>
    servers?.[0].url.endsWith('/api/v1'),
  )
  return {
    ...api,
    paths: {
      ...api.paths,
      ...Object.fromEntries(additive.map(([path, { servers, ...methods }]) => [path, methods])),
    },
    components: { ...api.components, schemas: { ...root.components.schemas, ...api.components.schemas } },
  }
}

/**
 * Returns a document whose parameters and fields also take the values of live orders, by name, so that a
 * generator uses them, and whose preflights have links to their submits.
 */
export function describeOrders(document: Document, values: LiveValues): Document {
  const described = structuredClone(document)
  const orLive = (name: string, schema: any) =>
    values[name] ? { anyOf: [{ enum: values[name] }, schema] } : schema
  const visit = (node: any): void => {
    if (typeof node !== 'object' || node === null) return
    for (const member of Object.values(node)) visit(member)
    if (node.type === 'object' && node.properties)
      for (const [name, schema] of Object.entries(node.properties))
        node.properties[name] = orLive(name, schema)
    if (node.in && node.schema) node.schema = orLive(node.name, node.schema)
  }
  visit(described.paths)
  visit(described.components)
  for (const [path, { post }] of Object.entries<any>(described.paths)) {
    const submit = /\/preflight$/.test(path) && submitOf(document, path)
    if (submit) post.responses[200].links = { submit: linkTo(document, post, submit) }
  }
  return described
}

const submitOf = (document: Document, path: string) =>
  (document.paths[path.replace(/preflight$/, 'submit')] ?? document.paths[path.replace(/\/preflight$/, '')])
    ?.post

/** Fields of a submit that its preflight returns under another name. */
const RENAMED: Record<string, string> = { signedSteps: 'steps', signedSellerStep: 'sellerStep' }

function linkTo(document: Document, preflight: any, submit: any): object {
  const namesOf = (content: any) =>
    Object.keys(resolve(document, content['application/json'].schema).properties)
  const sent = namesOf(preflight.requestBody.content)
  const returned = namesOf(preflight.responses[200].content)
  const fields = namesOf(submit.requestBody.content).flatMap((name) => {
    const from = RENAMED[name] ?? name
    if (sent.includes(name)) return [[name, `$request.body#/${name}`]]
    return returned.includes(from) ? [[name, `$response.body#/${from}`]] : []
  })
  return {
    operationId: submit.operationId,
    parameters: Object.fromEntries(
      submit.parameters
        .filter((parameter: any) => parameter.in === 'path')
        .map(({ name }: any) => [name, `$request.path.${name}`]),
    ),
    requestBody: Object.fromEntries(fields),
  }
}

const resolve = (document: Document, schema: any) =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema

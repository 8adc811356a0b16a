import { join, relative } from 'node:path'
import * as ast from 'typescript/unstable/ast'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'
import { askOnce } from './ask-once.ts'
import { type Column, type Described, Describer } from './describe.ts'
import { NEVER_NULL } from './never-null.ts'
import { NullableColumns } from './nullable.ts'
import { fits, isNullable, kindOfOid, kindsOfType, oidOfType, partsOf } from './types.ts'
import { enclosingFunction, isOrderFile, type Piece, Unclear, Unfolder } from './unfold.ts'

const root = join(import.meta.dirname, '../..')

export interface Findings {
  problems: string[]
  /** Entries of never-null.ts in use. */
  neverNull: Set<string>
  statements: number
  variants: number
}

/** A complete statement with its row type, or null if untyped. */
interface Root {
  template: ast.TaggedTemplateExpression
  row: Type | null
}

/**
 * Compares every statement of some files with its row type, on a migrated database. `files` selects paths relative to the root of the
 * repository.
 */
export async function checkSql(databaseUrl: string, files: (path: string) => boolean): Promise<Findings> {
  const api = new API({ cwd: root })
  const describer = await Describer.open(databaseUrl)
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] })
    const [project] = snapshot.getProjects()
    const sources = project!.rootFiles
      .filter((file) => files(relative(root, file)) && !isOrderFile(file))
      .map((file) => project!.program.getSourceFile(file)!)
    const checker = askOnce(project!.checker)
    const templates: ast.TaggedTemplateExpression[] = []
    const callees: ast.CallExpression[] = []
    for (const source of sources)
      walk(source, (node) => {
        if (ast.isTaggedTemplateExpression(node) && isStatement(checker, node)) templates.push(node)
        if (ast.isCallExpression(node) && ast.isIdentifier(node.expression)) callees.push(node)
      })
    const calls = new Map<number, ast.CallExpression[]>()
    const unfolder = new Unfolder(project!, checker, calls)
    for (const call of callees) {
      const symbol = unfolder.symbolOf(call.expression)
      if (symbol) calls.set(symbol.id, [...(calls.get(symbol.id) ?? []), call])
    }
    const check = new Check(describer, checker, unfolder)
    const roots = templates.filter((node) => isRoot(checker, node))
    for (const template of roots) await check.statement({ template, row: rowOf(checker, template) })
    // A template that is not part of another one is a statement, or unused.
    for (const template of templates)
      if (!unfolder.reached.has(template)) await check.statement({ template, row: rowOf(checker, template) })
    return check.findings
  } finally {
    await describer.close()
    api.close()
  }
}

class Check {
  readonly findings: Findings = { problems: [], neverNull: new Set(), statements: 0, variants: 0 }
  private readonly describer: Describer
  private readonly checker: Checker
  private readonly unfolder: Unfolder
  private readonly nullables: NullableColumns

  constructor(describer: Describer, checker: Checker, unfolder: Unfolder) {
    this.describer = describer
    this.checker = checker
    this.unfolder = unfolder
    this.nullables = new NullableColumns(describer, this.findings.neverNull)
  }

  async statement({ template, row }: Root): Promise<void> {
    this.findings.statements++
    const report = (problem: string) => {
      const line = `${placeOf(template)}: ${problem}`
      if (!this.findings.problems.includes(line)) this.findings.problems.push(line)
    }
    let variants: Piece[][]
    try {
      variants = this.unfolder.variants(template)
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      return report(`this statement cannot be checked: ${error.message}`)
    }
    const done = new Set<string>()
    for (const pieces of variants)
      for (const asNull of [false, true]) {
        const { text, oids, types } = compiled(pieces, asNull)
        // A temporary table may be used by another statement of the same file.
        if (/^\s*create temp/.test(text)) {
          await this.describer.run(text.replace(/ on commit drop/, ''))
          continue
        }
        const key = `${oids.join()} ${text}`
        if (done.has(key)) continue
        done.add(key)
        this.findings.variants++
        try {
          const described = await this.describer.describe(text, oids)
          this.parameters(described, types, report)
          if (row) await this.columns(described.columns, row, template, report)
          else if (described.columns.some(({ tableOid }) => tableOid !== 0)) report('the row type is missing')
        } catch (error) {
          report(`${(error as Error).message} in: ${text.replace(/\s+/g, ' ').trim()}`)
        }
      }
  }

  private parameters(
    { parameters }: Described,
    types: readonly Type[],
    say: (problem: string) => void,
  ): void {
    for (const [i, oid] of parameters.entries()) {
      const kind = kindOfOid(oid)
      const allowed = kindsOfType(this.checker, types[i]!)
      // Values are sent as text, so text is allowed for any type.
      if (kind === 'text' || !allowed || allowed.length === 0) continue
      if (!allowed.some((each) => each === kind || each === 'text' || each === 'text[]'))
        say(`parameter $${i + 1} is ${kind} in SQL, ${allowed.join(' or ')} in TypeScript`)
    }
  }

  private async columns(
    columns: Column[],
    row: Type,
    template: ast.Node,
    say: (problem: string) => void,
  ): Promise<void> {
    const properties = new Map(
      this.checker.getPropertiesOfType(row).map((each) => [each.name, this.checker.getTypeOfSymbol(each)!]),
    )
    const [any] = this.checker.getIndexInfosOfType(row)
    for (const column of columns) {
      const name = camelOf(column.name)
      const type = properties.get(name) ?? any?.valueType
      if (!type) {
        say(`the row type has no property for the column ${column.name}`)
        continue
      }
      properties.delete(name)
      const allowed = kindsOfType(this.checker, type)
      const kind = kindOfOid(column.typeOid)
      if (!fits(kind, allowed))
        say(`${name} is ${kind} in SQL, ${allowed!.join(' or ') || 'null'} in TypeScript`)
      else if (allowed && !isNullable(type) && (await this.nullables.has(column))) {
        const key = `${pathOf(template)} ${functionOf(template)} ${name}`
        if (key in NEVER_NULL) this.findings.neverNull.add(key)
        else say(`${name} can be null in SQL, but not in TypeScript`)
      }
    }
    for (const [name, type] of properties)
      if (!isOptional(type)) say(`the row type has ${name}, but the statement has no such column`)
  }
}

const isOptional = (type: Type) => partsOf(type).some(({ flags }) => (flags & TypeFlags.Undefined) !== 0)

function compiled(
  pieces: readonly Piece[],
  asNull: boolean,
): { text: string; oids: number[]; types: Type[] } {
  let text = ''
  const oids: number[] = []
  const types: Type[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      types.push(piece.type)
      oids.push(asNull && isNullable(piece.type) ? 0 : oidOfType(piece.type))
      text += `$${types.length}`
    }
  }
  return { text, oids, types }
}

function walk(node: ast.Node, visit: (node: ast.Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

const isStatement = (checker: Checker, node: ast.TaggedTemplateExpression) =>
  checker.getTypeAtLocation(node)?.getSymbol()?.name === 'Statement'

function isRoot(checker: Checker, node: ast.TaggedTemplateExpression): boolean {
  if (node.typeArguments && node.typeArguments.length > 0) return true
  let at: ast.Node = node.parent
  while (ast.isParenthesizedExpression(at)) at = at.parent
  if (ast.isAwaitExpression(at)) return true
  if (!ast.isReturnStatement(at)) return false
  const around = enclosingFunction(node) as ast.FunctionDeclaration | undefined
  if (around?.modifiers?.some(({ kind }) => kind === ast.SyntaxKind.AsyncKeyword)) return true
  return checker.getContextualType(node)?.getSymbol()?.name === 'Promise'
}

function rowOf(checker: Checker, node: ast.TaggedTemplateExpression): Type | null {
  const statement = checker.getTypeAtLocation(node)!
  const [found] = statement.isTypeReference() ? checker.getTypeArguments(statement) : []
  const [row] = found?.isTypeReference() ? checker.getTypeArguments(found) : []
  return row && kindsOfType(checker, row) !== null ? row : null
}

const pathOf = (node: ast.Node) => relative(root, node.getSourceFile().fileName)
function placeOf(node: ast.Node): string {
  const source = node.getSourceFile()
  const start = node.getStart(source)
  return `${pathOf(node)}:${source.text.slice(0, start).split('\n').length}`
}
const camelOf = (name: string) => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the name of the outermost function around a node, or an empty string. */
function functionOf(node: ast.Node): string {
  let name = ''
  for (let at = enclosingFunction(node); at; at = enclosingFunction(at)) {
    const declaration = ast.isArrowFunction(at) && ast.isVariableDeclaration(at.parent) ? at.parent : at
    name = (declaration as ast.FunctionDeclaration).name?.getText() ?? name
  }
  return name
}

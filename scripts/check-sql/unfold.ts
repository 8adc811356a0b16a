import {
  keyColumns,
  keysOf,
  lastKeys,
  type Order,
  onePage,
  onePageOfCollection,
  orderBy,
} from '@ordbook/db/driver/order.ts'
import { compile, type Statement as Fragment, tagOf } from '@ordbook/db/driver/statement.ts'
import * as ast from 'typescript/unstable/ast'
import {
  type Checker,
  type Symbol as Name,
  type Project,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync'
import { type Choose, explore } from './choices.ts'
import { isObject, nonNull, partsOf, symbolName } from './types.ts'

interface Parameter {
  type: Type
}
/** Text with parameters, as assembled by `compile` in server/db/src/driver/statement.ts. */
export type Piece = string | Parameter

/** Arguments of the calls that lead to a fragment, by the parameter's symbol. */
interface Scope {
  id: string
  bound: ReadonlyMap<number, { node: ast.Node; scope: Scope }>
}
const OUTSIDE: Scope = { id: '', bound: new Map() }

export class Unclear extends Error {}
/** A fragment is a parameter of the surrounding function, so it depends on the callers. */
class Unbound extends Error {}

/** Assembles the statements of tagged templates. Follows fragments through constants, conditions and calls. */
export class Unfolder {
  readonly reached = new Set<ast.Node>()
  private readonly checker: Checker
  private readonly project: Project
  /** Calls, by the symbol of the function. */
  private readonly calls: ReadonlyMap<number, readonly ast.CallExpression[]>
  private choose: Choose = () => 0

  constructor(project: Project, checker: Checker, calls: ReadonlyMap<number, readonly ast.CallExpression[]>) {
    this.project = project
    this.checker = checker
    this.calls = calls
  }

  /** Returns all variants of a statement. Throws Unclear. */
  variants(template: ast.TaggedTemplateExpression): Piece[][] {
    return this.inScopes(template, OUTSIDE, 0)
  }

  private inScopes(template: ast.TaggedTemplateExpression, scope: Scope, depth: number): Piece[][] {
    try {
      return explore((choose) => {
        this.choose = choose
        return this.template(template, scope)
      })
    } catch (error) {
      const around = enclosingFunction(template)
      if (!(error instanceof Unbound) || !around || depth > 0) throw new Unclear((error as Error).message)
      const owner = around.parent && ast.isVariableDeclaration(around.parent) ? around.parent : around
      const { name } = owner as ast.FunctionDeclaration
      const symbol = name && this.symbolOf(name)
      const calls = symbol ? (this.calls.get(symbol.id) ?? []) : []
      if (calls.length === 0) throw new Unclear(`${error.message}, but the function has no calls`)
      return calls.flatMap((call) => this.inScopes(template, this.bind(around, call, OUTSIDE), depth + 1))
    }
  }

  private template(node: ast.TaggedTemplateExpression, scope: Scope): Piece[] {
    this.reached.add(node)
    const { template } = node
    if (ast.isNoSubstitutionTemplateLiteral(template)) return [template.text]
    const pieces: Piece[] = [template.head.text]
    for (const span of template.templateSpans)
      pieces.push(...this.value(span.expression, scope), span.literal.text)
    return pieces
  }

  private value(node: ast.Node, scope: Scope): Piece[] {
    if (
      ast.isParenthesizedExpression(node) ||
      ast.isNonNullExpression(node) ||
      ast.isAsExpression(node) ||
      ast.isSatisfiesExpression(node)
    )
      return this.value(node.expression, scope)
    if (ast.isTaggedTemplateExpression(node)) return this.template(node, scope)
    const type = this.typeOf(node)
    if (!isPart(type)) return [{ type }]
    if (ast.isConditionalExpression(node))
      return this.value(this.holds(node.condition, scope) ? node.whenTrue : node.whenFalse, scope)
    if (ast.isBinaryExpression(node) && node.operatorToken.kind === ast.SyntaxKind.AmpersandAmpersandToken)
      return this.holds(node.left, scope) ? this.value(node.right, scope) : [{ type }]
    if (ast.isIdentifier(node)) return this.named(node, scope)
    if (ast.isElementAccessExpression(node) || ast.isPropertyAccessExpression(node))
      return this.member(node, scope)
    if (ast.isCallExpression(node)) return this.call(node, scope)
    throw new Unclear(`cannot follow ${node.getText()}`)
  }

  private named(node: ast.Identifier, scope: Scope): Piece[] {
    const symbol = this.symbolOf(node)
    const bound = symbol && scope.bound.get(symbol.id)
    if (bound) return this.value(bound.node, bound.scope)
    const declaration = this.declarationOf(symbol)
    if (declaration && ast.isVariableDeclaration(declaration) && declaration.initializer)
      return this.value(declaration.initializer, scope)
    throw new Unbound(`the fragment ${node.text} is a parameter`)
  }

  /** Handles `{ price: sql`…`, recent: sql`…` }[sort]`. */
  private member(node: ast.ElementAccessExpression | ast.PropertyAccessExpression, scope: Scope): Piece[] {
    let object: ast.Node = node.expression
    if (ast.isIdentifier(object)) {
      const declaration = this.declarationOf(this.symbolOf(object))
      if (declaration && ast.isVariableDeclaration(declaration) && declaration.initializer)
        object = declaration.initializer
    }
    while (
      ast.isParenthesizedExpression(object) ||
      ast.isSatisfiesExpression(object) ||
      ast.isAsExpression(object)
    )
      object = object.expression
    if (!ast.isObjectLiteralExpression(object)) throw new Unclear(`cannot follow ${node.getText()}`)
    const values = object.properties.filter(ast.isPropertyAssignment)
    if (ast.isPropertyAccessExpression(node)) {
      const found = values.find((value) => value.name.getText() === node.name.text)
      if (!found) throw new Unclear(`cannot follow ${node.getText()}`)
      return this.value(found.initializer, scope)
    }
    const chosen = values[this.choose(this.nameOf(node.argumentExpression, scope), values.length)]
    if (!chosen) throw new Unclear(`cannot follow ${node.getText()}`)
    return this.value(chosen.initializer, scope)
  }

  private call(node: ast.CallExpression, scope: Scope): Piece[] {
    const callee = node.expression
    const [first] = node.arguments
    if (ast.isPropertyAccessExpression(callee) && callee.name.text === 'unsafe') {
      if (first && ast.isStringLiteral(first)) return [first.text]
      // `limitOf` inserts a number into the text.
      if (first?.getText() === 'String(rows)') return ['1']
      throw new Unclear(`cannot follow ${node.getText()}`)
    }
    switch (symbolName(nonNull(this.typeOf(node)))) {
      case 'Name':
        return [`"${this.textOf(first!, scope)}"`]
      case 'List':
        return ['(', { type: this.elementOf(this.typeOf(first!), first!) }, ')']
      case 'Rows': {
        const row = this.elementOf(this.typeOf(first!), first!)
        const columns = this.checker.getPropertiesOfType(row)
        const names = columns.map(({ name }) => `"${snakeOf(name)}"`).join(', ')
        const values = columns.flatMap((column): Piece[] => [
          ', ',
          { type: this.checker.getTypeOfSymbol(column)! },
        ])
        return [`(${names}) values (`, ...values.slice(1), ')']
      }
    }
    if (isOfOrder(this.declarationOf(this.symbolOf(callee)))) return this.orderPart(node, scope)
    const body = this.functionOf(callee)
    if (!body) throw new Unclear(`cannot follow ${node.getText()}`)
    const inner = this.bind(body, node, scope)
    const results = resultsOf(body)
    const result = results[this.choose(`${node.pos}@${scope.id}`, results.length)]
    if (!result) throw new Unclear(`cannot follow ${node.getText()}`)
    return this.value(result, inner)
  }

  /** Evaluates a call of `server/db/src/driver/order.ts` for each order that its argument's type allows. */
  private orderPart(node: ast.CallExpression, scope: Scope): Piece[] {
    const [, given, table] = node.arguments as readonly ast.Node[]
    const order = (type: Type, name: string): Order => {
      const orders = partsOf(type)
      return literalOf(this.checker, orders[this.choose(name, orders.length)]!) as Order
    }
    const orderOfArgument = () => order(this.typeOf(given!), this.nameOf(given!, scope))
    const ofPage = () => {
      const name = this.nameOf(given!, scope)
      const chosen = order(this.propertyOf(given!, 'order'), `${name}.order`)
      const isFirst = this.choose(`${name}.after is null`, 2) === 1
      return { order: chosen, after: isFirst ? null : chosen.map(() => ''), rows: 1 }
    }
    const tableName = () => tag.unsafe(this.value(table!, scope).join(''))
    const parts: Record<string, () => Fragment> = {
      orderBy: () => orderBy(tag, orderOfArgument(), tableName()),
      onePage: () => onePage(tag, ofPage(), tableName()),
      onePageOfCollection: () => onePageOfCollection(tag, ofPage(), tableName()),
      keyColumns: () => keyColumns(tag, orderOfArgument(), tableName()),
      keysOf: () => keysOf(tag, orderOfArgument(), tableName()),
      lastKeys: () => lastKeys(tag, orderOfArgument(), 2),
    }
    const part = parts[node.expression.getText()]
    if (!part) throw new Unclear(`cannot follow ${node.getText()}`)
    const [start, ...more] = compile(part()).text.split(/\$\d+/)
    return [start!, ...more.flatMap((text): Piece[] => [{ type: this.typeOf(node) }, text])]
  }

  private propertyOf(node: ast.Node, name: string): Type {
    const property = this.checker.getPropertiesOfType(this.typeOf(node)).find((each) => each.name === name)
    return this.checker.getTypeOfSymbol(property!)!
  }

  /** Throws Unclear if the source does not determine the name. */
  private textOf(node: ast.Node, scope: Scope): string {
    if (ast.isStringLiteral(node)) return node.text
    const bound = ast.isIdentifier(node) && scope.bound.get(this.symbolOf(node)?.id ?? 0)
    if (bound) return this.textOf(bound.node, bound.scope)
    const type = this.typeOf(node)
    const texts = partsOf(type).map((part) => (part.isLiteralType() ? String(part.value) : null))
    let choices = texts.every((text) => text !== null) ? (texts as string[]) : []
    const declaration = ast.isIdentifier(node) ? this.declarationOf(this.symbolOf(node)) : undefined
    const loop = declaration?.parent.parent
    if (
      choices.length === 0 &&
      loop &&
      ast.isForOfStatement(loop) &&
      ast.isArrayLiteralExpression(loop.expression)
    )
      choices = loop.expression.elements.filter(ast.isStringLiteral).map(({ text }) => text)
    if (choices.length === 0) throw new Unclear(`cannot follow the name ${node.getText()}`)
    return choices[this.choose(this.nameOf(node, scope), choices.length)]!
  }

  /** Whether a condition holds in the current variant. Equal conditions have equal results. */
  private holds(node: ast.Node, scope: Scope): boolean {
    if (ast.isParenthesizedExpression(node)) return this.holds(node.expression, scope)
    if (node.kind === ast.SyntaxKind.TrueKeyword) return true
    if (node.kind === ast.SyntaxKind.FalseKeyword) return false
    if (ast.isPrefixUnaryExpression(node) && node.operator === ast.SyntaxKind.ExclamationToken)
      return !this.holds(node.operand, scope)
    if (ast.isBinaryExpression(node)) {
      const { left, right } = node
      switch (node.operatorToken.kind) {
        case ast.SyntaxKind.AmpersandAmpersandToken:
          return this.holds(left, scope) && this.holds(right, scope)
        case ast.SyntaxKind.BarBarToken:
          return this.holds(left, scope) || this.holds(right, scope)
        case ast.SyntaxKind.EqualsEqualsEqualsToken:
          if (isNothing(right)) return this.isNull(left, scope)
          break
        case ast.SyntaxKind.ExclamationEqualsEqualsToken:
          if (isNothing(right)) return !this.isNull(left, scope)
      }
    }
    const type = this.typeOf(node)
    if (partsOf(type).some(isObject)) return !this.isNull(node, scope)
    if (ast.isIdentifier(node)) {
      const symbol = this.symbolOf(node)
      const bound = symbol && scope.bound.get(symbol.id)
      if (bound) return this.holds(bound.node, bound.scope)
      const declaration = this.declarationOf(symbol)
      if (
        declaration &&
        ast.isVariableDeclaration(declaration) &&
        declaration.initializer &&
        ast.isIdentifier(declaration.name)
      )
        return this.holds(declaration.initializer, scope)
    }
    return this.choose(this.nameOf(node, scope), 2) === 0
  }

  private isNull(node: ast.Node, scope: Scope): boolean {
    if (isNothing(node)) return true
    if (ast.isIdentifier(node)) {
      const symbol = this.symbolOf(node)
      const bound = symbol && scope.bound.get(symbol.id)
      if (bound) return this.isNull(bound.node, bound.scope)
    }
    return this.choose(`${this.nameOf(node, scope)} is null`, 2) === 1
  }

  /** Returns the same name for the same value in every function. */
  private nameOf(node: ast.Node, scope: Scope): string {
    if (ast.isPropertyAccessExpression(node))
      return `${this.nameOf(node.expression, scope)}.${node.name.text}`
    if (!ast.isIdentifier(node)) return `${node.getText()}@${scope.id}`
    const symbol = this.symbolOf(node)
    const bound = symbol && scope.bound.get(symbol.id)
    if (bound) return this.nameOf(bound.node, bound.scope)
    const declaration = this.declarationOf(symbol)
    if (declaration && ast.isBindingElement(declaration)) {
      const property = (declaration.propertyName ?? declaration.name)!.getText()
      const whole = declaration.parent.parent
      if (ast.isVariableDeclaration(whole) && whole.initializer && ast.isIdentifier(whole.initializer))
        return `${this.nameOf(whole.initializer, scope)}.${property}`
      const given = ast.isParameterDeclaration(whole) && scope.bound.get(-1 - whole.pos)
      if (given) return `${this.nameOf(given.node, given.scope)}.${property}`
    }
    return `${node.text}@${scope.id}`
  }

  private bind(body: ast.Node, call: ast.CallExpression, scope: Scope): Scope {
    const bound = new Map(scope.bound)
    const { parameters } = body as ast.FunctionDeclaration
    for (const [i, parameter] of parameters.entries()) {
      const argument = call.arguments[i] ?? parameter.initializer
      if (!argument) continue
      const symbol = ast.isIdentifier(parameter.name) ? this.symbolOf(parameter.name) : undefined
      bound.set(symbol?.id ?? -1 - parameter.pos, { node: argument, scope })
    }
    return { id: `${scope.id}/${call.pos}`, bound }
  }

  private functionOf(callee: ast.Node): ast.Node | undefined {
    const declaration = this.declarationOf(this.symbolOf(callee))
    if (!declaration) return undefined
    if (ast.isFunctionDeclaration(declaration)) return declaration
    if (
      ast.isVariableDeclaration(declaration) &&
      declaration.initializer &&
      ast.isArrowFunction(declaration.initializer)
    )
      return declaration.initializer
    return undefined
  }

  symbolOf(node: ast.Node): Name | undefined {
    const symbol = this.checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
  }

  private declarationOf(symbol: Name | undefined): ast.Node | undefined {
    return symbol?.valueDeclaration?.resolve(this.project)
  }

  private typeOf(node: ast.Node): Type {
    const type = this.checker.getTypeAtLocation(node)
    if (!type) throw new Unclear(`no type for ${node.getText()}`)
    return type
  }

  private elementOf(type: Type, node: ast.Node): Type {
    const array = nonNull(type)
    const [element] = array.isTypeReference() ? this.checker.getTypeArguments(array) : []
    if (!element) throw new Unclear(`cannot follow the list ${node.getText()}`)
    return element
  }
}

/** Evaluated instead of followed, because types determine the fragments of an order. */
const tag = tagOf(async () => [])
const isOfOrder = (declaration: ast.Node | undefined) =>
  declaration !== undefined && isOrderFile(declaration.getSourceFile().fileName)
export const isOrderFile = (file: string) => file.endsWith('server/db/src/driver/order.ts')

function literalOf(checker: Checker, type: Type): unknown {
  if (type.isLiteralType()) return type.value
  if (type.isTypeReference() && checker.isTupleType(type))
    return checker.getTypeArguments(type).map((each) => literalOf(checker, each))
  if (!isObject(type)) throw new Unclear('the type of an order is not a literal')
  return Object.fromEntries(
    checker
      .getPropertiesOfType(type)
      .map((each) => [each.name, literalOf(checker, checker.getTypeOfSymbol(each)!)]),
  )
}

export function enclosingFunction(node: ast.Node): ast.Node | undefined {
  for (let at = node.parent; at; at = at.parent)
    if (ast.isFunctionDeclaration(at) || ast.isArrowFunction(at) || ast.isMethodDeclaration(at)) return at
  return undefined
}

function resultsOf(body: ast.Node): ast.Node[] {
  const inner = (body as ast.ArrowFunction).body
  if (!ast.isBlock(inner)) return [inner]
  const found: ast.Node[] = []
  const visit = (node: ast.Node): void => {
    if (ast.isReturnStatement(node) && node.expression) found.push(node.expression)
    if (ast.isArrowFunction(node) || ast.isFunctionDeclaration(node)) return
    node.forEachChild(visit)
  }
  inner.forEachChild(visit)
  return found
}

/** Whether a value of this type adds text to a statement instead of a parameter. */
const isPart = (type: Type) =>
  partsOf(type).some((part) => ['Statement', 'Name', 'List', 'Rows'].includes(symbolName(part)))
const isNothing = (node: ast.Node) =>
  node.kind === ast.SyntaxKind.NullKeyword || (ast.isIdentifier(node) && node.text === 'undefined')
const snakeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The cyclomatic complexity of each function: the number of its branches and boolean operators, and one. */

import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { isCaseClause, isFunctionLikeDeclaration } from 'typescript/unstable/ast/is'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

export interface FunctionComplexity {
  readonly path: string
  /** That of its declaration; empty for a function that is a value. */
  readonly name: string
  readonly complexity: number
}

/** The complexity of all functions in these files. A function inside of another counts for itself. */
export function measureFunctions(
  files: readonly { readonly path: string; readonly text: string }[],
): readonly FunctionComplexity[] {
  const compilerOptions = { noLib: true, noResolve: true, types: [] }
  const paths = files.map(({ path }) => `/${path}`)
  const texts = files.map(({ path, text }) => [`/${path}`, text])
  const project = JSON.stringify({ compilerOptions, files: paths })
  const fs = createVirtualFileSystem({ '/tsconfig.json': project, ...Object.fromEntries(texts) })
  const api = new API({ cwd: '/', fs })
  try {
    const [opened] = api.updateSnapshot({ openProject: '/tsconfig.json' }).getProjects()
    return files.flatMap(({ path }) => {
      const tree = opened?.program.getSourceFile(`/${path}`)
      if (!tree) throw new Error(`${path} cannot be parsed.`)
      return functionsIn(tree).map((node) => ({ path, name: nameOf(node), complexity: complexityOf(node) }))
    })
  } finally {
    api.close()
  }
}

function functionsIn(node: Node): readonly Node[] {
  const inside = childrenOf(node).flatMap(functionsIn)
  return isFunctionLikeDeclaration(node) ? [node, ...inside] : inside
}

function nameOf(node: Node): string {
  return 'name' in node ? ((node.name as Node | undefined)?.getText() ?? '') : ''
}

function complexityOf(node: Node): number {
  return childrenOf(node).reduce((sum, child) => sum + branchesIn(child), 1)
}

function branchesIn(node: Node): number {
  if (isFunctionLikeDeclaration(node)) return 0
  return childrenOf(node).reduce((sum, child) => sum + branchesIn(child), isBranch(node) ? 1 : 0)
}

function isBranch(node: Node): boolean {
  // Cases with the same statements are one branch.
  if (isCaseClause(node)) return node.statements.length > 0
  return branches.has(node.kind)
}

const branches: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.CatchClause,
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
  SyntaxKind.AmpersandAmpersandEqualsToken,
  SyntaxKind.BarBarEqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
])

function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = []
  node.forEachChild((child) => {
    children.push(child)
  })
  return children
}

/**
 * Runs the code blocks of a page. A block with `export default service(…)` is the service that the
 * blocks after it use; before it they use the demo, or on a page of the tutorial the service of the
 * page before. A program that requests http://localhost:3000 runs among the shell commands.
 */

import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Sample } from '../src/definition/sample-rows.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { insertSample } from '../src/service/first-start.ts'
import { type CodeBlock, codeBlocks, type DocPage, root } from './docs-pages.ts'
import { packageFlags, restwellProgram } from './restwell.ts'
import { adminLogin, adminPassword, serve } from './service.ts'

/** A folder that is a small project: restwell is installed there, and so is its command. */
export function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-docs-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync(root, join(modules, 'restwell'))
  symlinkSync(join(root, 'node_modules/@types'), join(modules, '@types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const command = join(modules, '.bin/restwell')
  writeFileSync(command, `#!/bin/sh\nexec '${[process.execPath, ...restwellProgram].join("' '")}' "$@"\n`)
  chmodSync(command, 0o755)
  return folder
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true })
}

/** Blocks of one page that use the same service. */
export interface ExampleGroup {
  readonly folder: string
  /** The files of all programs. */
  readonly files: readonly string[]
  /** The files of programs that need no running service, by the place of their block. */
  readonly programs: ReadonlyMap<string, string>
  /** Commands, and programs that need the running service as commands. */
  readonly scripts: readonly Script[]
}

interface Script extends CodeBlock {
  /** The block right after it, where that shows its output. */
  readonly output: CodeBlock | undefined
}

const isProgram = ({ language }: CodeBlock) => language === 'ts' || language === 'js'
const isDefinition = (block: CodeBlock) => isProgram(block) && block.code.includes('export default service(')
const isRequesting = (block: CodeBlock) => isProgram(block) && block.code.includes('http://localhost:3000')

const demo = join(root, 'examples/shop.ts')

/** Writes the programs of all pages, in the order of the pages. */
export function writePages(project: string, pages: readonly DocPage[]): readonly ExampleGroup[] {
  let tutorialService = demo
  return pages.flatMap((page) => {
    const isTutorial = page.path.startsWith('docs/tutorial/')
    const groups = writeExamples(project, page, isTutorial ? tutorialService : demo)
    if (isTutorial) tutorialService = join(groups.at(-1)?.folder ?? '', 'service.ts')
    return groups
  })
}

/** Writes the programs of a page into folders of the project, one for each service. */
export function writeExamples(project: string, page: DocPage, service = demo): readonly ExampleGroup[] {
  const blocks = codeBlocks(page).filter(({ reason }) => reason === undefined)
  const starts = [0, ...blocks.flatMap((block, at) => (isDefinition(block) && at > 0 ? [at] : []))]
  return starts.map((start, index) => {
    const folder = join(project, `${page.path.replaceAll(/\W+/g, '-')}-${index}`)
    mkdirSync(folder)
    copyFileSync(service, join(folder, 'service.ts'))
    return writeGroup(folder, blocks.slice(start, starts[index + 1]), blocks)
  })
}

function writeGroup(folder: string, group: readonly CodeBlock[], all: readonly CodeBlock[]): ExampleGroup {
  const files: string[] = []
  const programs = new Map<string, string>()
  const scripts: Script[] = []
  for (const [index, block] of group.entries()) {
    const name = isDefinition(block) ? 'service.ts' : `program-${index}.${block.language}`
    const output = outputOf(all, block)
    if (block.language === 'sh') scripts.push({ ...block, output })
    if (isRequesting(block)) scripts.push({ ...block, code: commandOf(block, name), output })
    if (!isProgram(block)) continue
    const file = join(folder, name)
    writeFileSync(file, block.code)
    files.push(file)
    if (!isRequesting(block)) programs.set(block.place, file)
  }
  return { folder, files, programs, scripts }
}

/** Writes the program again, with the address of the service in it, and runs it. */
function commandOf({ code }: CodeBlock, name: string): string {
  return `cat > ${name} <<'PROGRAM'\n${code}PROGRAM\n'${[process.execPath, ...packageFlags].join("' '")}' ${name}`
}

function outputOf(all: readonly CodeBlock[], block: CodeBlock): CodeBlock | undefined {
  const next = all[all.indexOf(block) + 1]
  return next && ['http', 'json', 'text'].includes(next.language) ? next : undefined
}

/** What is wrong with the types of the programs, as `tsc` reports it; empty where nothing is. */
export async function typeErrors(project: string, files: readonly string[]): Promise<string> {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false },
    include: [],
    files: files.filter((file) => file.endsWith('.ts')),
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { output } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project], project)
  return output
}

/** Runs a program; fails with its output where it exits with another code than 0. A definition is checked. */
export async function runProgram(file: string): Promise<void> {
  if (file.endsWith('/service.ts')) {
    checkDefinition((await import(file)).default)
    return
  }
  const { status, output, errors } = await run(process.execPath, [...packageFlags, file], dirname(file))
  if (status !== 0) throw new Error(output + errors)
}

/** Runs the shell blocks of a group in order, as one script, against its service. */
export async function runScripts({ folder, scripts }: ExampleGroup): Promise<void> {
  if (scripts.length === 0) return
  const module = await import(join(folder, 'service.ts'))
  await using service = await serve(module.default)
  const sample = module.sample as Sample | undefined
  if (sample) await insertSample(checkDefinition(module.default), service.service.store, sample)
  const parts = scripts.map(({ code }, index) => {
    return `printf '\\n@block ${index}\\n'; printf '\\n@block ${index}\\n' >&2\n${code}`
  })
  const script = [prologue, ...parts]
    .join('\n')
    .replaceAll('http://localhost:3000', service.url)
    .replaceAll('admin@localhost:PASSWORD', `${adminLogin}:'${adminPassword}'`)
  const { status, output, errors } = await run('bash', ['-eu', '-c', script], folder)
  const outputs = output.split(/^@block \d+\n/m).slice(1)
  const reports = errors.split(/^@block \d+\n/m).slice(1)
  if (status !== 0) {
    throw new Error(`${scripts[outputs.length - 1]?.place}: ${outputs.at(-1)}${reports.at(-1)}`)
  }
  for (const [index, block] of scripts.entries()) {
    requireStatuses(block, reports[index] ?? '')
    requireOutput(block, (outputs[index] ?? '').replaceAll(service.url, 'http://localhost:3000'))
  }
}

/** Reports the status of each request on standard error; `npx` runs a command of the project. */
const prologue = `curl() {
  command curl --silent --show-error --write-out '\\n%{stderr}@status %{http_code}\\n' "$@"
}
npx() {
  "../node_modules/.bin/$1" "\${@:2}"
}`

/** Statuses named in comments, such as `# 412: …`, are expected; otherwise every request succeeds. */
function requireStatuses({ place, code }: Script, report: string): void {
  const statuses = [...report.matchAll(/^@status (\d+)$/gm)].map(([, status = '']) => status)
  const expected = [...code.matchAll(/# ([1-5]\d\d)\b/g)].map(([, status = '']) => status)
  const isExpected =
    expected.length > 0
      ? expected.join() === statuses.join()
      : statuses.every((status) => /^[23]/.test(status))
  if (isExpected) return
  throw new Error(`${place}: expected ${expected.join() || '2xx'}, got ${statuses.join()}`)
}

/** The comments that are JSON, and the block after the script, are lines of its output. */
function requireOutput({ place, code, output }: Script, actual: string): void {
  const comments = [...code.matchAll(/^# ([[{].*)$/gm)].map(([, json = '']) => json)
  const shown = (output?.code ?? '').split('\n').filter((line) => line.trim() !== '')
  const lines = masked(actual).split(/\r?\n/)
  for (const line of [...comments, ...shown]) {
    if (line.includes('…') ? !matchesElided(lines, line) : !lines.includes(masked(line))) {
      throw new Error(`${place}: the output lacks\n${line}\nin\n${actual}`)
    }
  }
}

/** Whether a line begins and ends as the shown one does, where `…` stands for any text. */
function matchesElided(lines: readonly string[], shown: string): boolean {
  const parts = masked(shown).split('…')
  return lines.some((line) => {
    let at = 0
    for (const part of parts) {
      at = line.indexOf(part, at)
      if (at < 0) return false
      at += part.length
    }
    return true
  })
}

/** Replaces what differs from run to run: identifiers, times, tags. */
function masked(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, 'DATE')
    .replaceAll(/"\d+-[0-9a-f]{16}(\.[\w-]+)+"/g, 'TAG')
}

function run(command: string, args: readonly string[], cwd: string) {
  return new Promise<{ status: number | null; output: string; errors: string }>((resolve) => {
    const child = spawn(command, args, { cwd })
    let output = ''
    let errors = ''
    child.stdout.on('data', (part) => {
      output += part
    })
    child.stderr.on('data', (part) => {
      errors += part
    })
    child.once('close', (status) => resolve({ status, output, errors }))
  })
}

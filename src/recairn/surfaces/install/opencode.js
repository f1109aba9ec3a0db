// Written by `recairn install opencode`, which writes it anew; `recairn uninstall opencode` removes it.
//
// opencode has no hook commands, so this plugin calls `recairn hook` for it: what is remembered goes
// along with a person's prompt, and edited files and test runs are noted. Without an answer, in time
// and in order, opencode goes on as if the plugin were not there.

import { spawn } from "node:child_process"

const HOOK = ["recairn", "hook"]
const OPTIONS = []
// Milliseconds; the hook ends by itself long before.
const PATIENCE = 10000
// The tools whose use is worth a look.
const TOOLS = new Set(["bash", "read", "edit", "write", "multiedit", "patch", "apply_patch"])

export const Recairn = async ({ client, directory }) => {
  // Session -> the one a person speaks in: itself, or its parent where an agent asked another.
  const owners = new Map()
  const begun = new Set()
  const compacted = new Set()
  const expanded = new Map() // session -> the text of a command, which is not the person's own

  const hook = (event, sessionID, fields) =>
    new Promise((resolve) => {
      const [program, ...words] = [...HOOK, event, "--agent", "opencode", ...OPTIONS]
      let answer = ""
      try {
        const child = spawn(program, words, {
          cwd: directory,
          stdio: ["pipe", "pipe", "ignore"],
          timeout: PATIENCE,
        })
        child.on("error", () => resolve(""))
        child.on("close", () => {
          tell(client, answer)
          resolve(contextOf(answer))
        })
        child.stdout.on("data", (chunk) => (answer += chunk))
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify({ session_id: sessionID, cwd: directory, ...fields }))
      } catch {
        resolve("")
      }
    })

  const ownerOf = async (sessionID) => {
    if (!owners.has(sessionID)) owners.set(sessionID, await askedOwner(client, sessionID))
    return owners.get(sessionID)
  }

  const start = async (sessionID) => {
    const source = compacted.delete(sessionID) ? "compact" : "startup"
    if (source === "startup" && begun.has(sessionID)) return ""
    begun.add(sessionID)
    return hook("SessionStart", sessionID, { source })
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = said(parts)
      if (!prompt || expanded.get(sessionID) === prompt) return
      if ((await ownerOf(sessionID)) !== sessionID) return
      const first = await start(sessionID)
      const found = await hook("UserPromptSubmit", sessionID, { prompt })
      const text = [first, found].filter(Boolean).join("\n")
      const { id, messageID } = parts.at(-1)
      // Parts are read back in the order of their ids: this one comes right after the last.
      const part = { id: `${id}r`, messageID, sessionID, type: "text", synthetic: true, text }
      if (text) parts.push(part)
    },
    "command.execute.before": async ({ sessionID }, { parts }) => {
      expanded.set(sessionID, said(parts))
    },
    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      if (!TOOLS.has(tool)) return
      const owner = await ownerOf(sessionID)
      if (!owner) return
      const tool_response = { output: result.output, exit_code: result.metadata?.exit }
      const fields = { tool_name: tool, tool_input: args, tool_response }
      const text = await hook("PostToolUse", owner, fields)
      if (text && typeof result.output === "string") result.output += `\n\n${text}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (begun.has(sessionID)) await hook("PreCompact", sessionID, {})
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") compacted.add(event.properties.sessionID)
    },
    dispose: async () => {
      const ended = [...begun].map((sessionID) => hook("SessionEnd", sessionID, {}))
      await Promise.all(ended)
    },
  }
}

function said(parts) {
  const texts = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
  return texts.map((part) => part.text).join("\n")
}

function contextOf(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput.additionalContext ?? ""
  } catch {
    return ""
  }
}

// The line for the person; without a screen there is nobody to show it to.
async function tell(client, answer) {
  try {
    const message = JSON.parse(answer).systemMessage
    if (message) await client.tui.showToast({ body: { message, variant: "info" } })
  } catch {}
}

async function askedOwner(client, sessionID) {
  try {
    const { data } = await client.session.get({ path: { id: sessionID } })
    return data.parentID ?? data.id
  } catch {
    return undefined
  }
}

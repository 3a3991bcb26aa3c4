//! Which members of JSON hold what: one row for each kind of message that is known.
//!
//! A member that no row names is entered nowhere: a patch in it isn't read, and that is told with
//! its place.

use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, Value};

/// The members of a kind of message, by what they hold.
struct Row {
    /// Members that hold further messages, parts or calls; where they are strings, the model's
    /// text.
    carriers: &'static [&'static str],
    /// Members in which the model thinks aloud.
    thoughts: &'static [&'static str],
    /// Members by which somebody tells the model what to do.
    instructions: &'static [&'static str],
    /// Members that hold what a tool returned, or tell again what another member says.
    results: &'static [&'static str],
}

const MESSAGES: &[Row] = &[
    // Anthropic's messages, stream-json, and the sessions of Claude Code
    Row {
        carriers: &["message", "messages", "content", "text", "input"],
        thoughts: &["thinking", "data", "signature"],
        instructions: &["system", "tools", "input_schema", "tool_choice"],
        results: &[
            "toolUseResult",
            "tool_use_result",
            "result",
            "summary",
            "attachment",
            "normalizedMessages",
        ],
    },
    // OpenAI's Chat Completions
    Row {
        carriers: &[
            "choices",
            "message",
            "messages",
            "content",
            "tool_calls",
            "function",
            "function_call",
            "custom",
        ],
        thoughts: &[
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "refusal",
        ],
        instructions: &[
            "tools",
            "functions",
            "parameters",
            "response_format",
            "prompt",
        ],
        results: &["logprobs", "usage"],
    },
    // OpenAI's Responses, Codex's rollouts and what `codex exec --json` prints
    Row {
        carriers: &[
            "output",
            "content",
            "text",
            "output_text",
            "operation",
            "action",
            "payload",
            "item",
            "items",
            "response",
            "body",
        ],
        thoughts: &["summary", "encrypted_content"],
        instructions: &[
            "instructions",
            "base_instructions",
            "user_instructions",
            "developer_instructions",
            "tools",
        ],
        results: &[
            "aggregated_output",
            "formatted_output",
            "stdout",
            "stderr",
            "changes",
            "metadata",
            "info",
        ],
    },
    // Gemini's API and the sessions of its command line
    Row {
        carriers: &[
            "candidates",
            "content",
            "contents",
            "parts",
            "text",
            "functionCall",
            "toolCalls",
            "messages",
            "history",
        ],
        thoughts: &["thoughts", "thoughtSignature"],
        instructions: &[
            "systemInstruction",
            "system_instruction",
            "tools",
            "toolConfig",
        ],
        results: &[
            "functionResponse",
            "result",
            "resultDisplay",
            "displayContent",
        ],
    },
    // Bedrock's Converse
    Row {
        carriers: &["output", "message", "content", "text", "toolUse"],
        thoughts: &["reasoningContent"],
        instructions: &["system", "toolConfig", "inputSchema"],
        results: &["toolResult"],
    },
    // Ollama
    Row {
        carriers: &[
            "message",
            "messages",
            "content",
            "response",
            "tool_calls",
            "function",
        ],
        thoughts: &["thinking"],
        instructions: &["prompt", "system", "template"],
        results: &["context"],
    },
    // OpenCode's messages and parts
    Row {
        carriers: &["parts", "part", "text", "state", "message", "messages"],
        thoughts: &[],
        instructions: &["system"],
        results: &["output", "metadata", "info", "snapshot", "raw"],
    },
    // LangChain
    Row {
        carriers: &[
            "content",
            "kwargs",
            "data",
            "tool_calls",
            "additional_kwargs",
            "generations",
            "text",
            "message",
        ],
        thoughts: &[],
        instructions: &[],
        results: &["artifact", "response_metadata", "usage_metadata"],
    },
    // MCP
    Row {
        carriers: &["params"],
        thoughts: &[],
        instructions: &["inputSchema", "outputSchema"],
        results: &["structuredContent", "_meta"],
    },
    // Continue
    Row {
        carriers: &["history", "message", "content", "toolCalls"],
        thoughts: &[],
        instructions: &[],
        results: &["toolCallStates", "contextItems", "promptLogs"],
    },
    // The events of Copilot's command line
    Row {
        carriers: &["data"],
        thoughts: &["reasoningText", "reasoningOpaque"],
        instructions: &["transformedContent"],
        results: &["toolRequests", "result", "toolTelemetry"],
    },
    // OpenHands
    Row {
        carriers: &["history", "events"],
        thoughts: &["thought"],
        instructions: &["system_prompt"],
        results: &["extras", "observation", "tool_call_metadata", "llm_metrics"],
    },
    // Vercel's AI SDK
    Row {
        carriers: &[
            "toolInvocations",
            "toolInvocation",
            "toolCalls",
            "steps",
            "parts",
            "messages",
            "content",
            "text",
            "response",
        ],
        thoughts: &["reasoning", "reasoningText"],
        instructions: &["system", "prompt"],
        results: &[
            "toolResults",
            "providerMetadata",
            "output",
            "result",
            "errorText",
        ],
    },
];

/// What a member of a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Messages, parts, calls or text of the model.
    Carrier,
    /// What the model thinks aloud.
    Thoughts,
    /// What somebody tells the model to do, and schemas.
    Instructions,
    /// What a tool returned.
    Results,
    /// Nobody knows.
    Unknown,
}

/// Members of a schema: what is in them describes calls and is none.
const SCHEMA: &[&str] = &[
    "properties",
    "input_schema",
    "inputSchema",
    "schema",
    "$defs",
];

/// Returns what a member of a message holds. `is_call` says that the message is a call itself, so
/// that its output is what the tool returned.
pub(super) fn holds(name: &str, value: Value<'_>, is_call: bool) -> Holds {
    if name == "properties" && is_message(value) {
        return Holds::Carrier;
    }
    let is_of_prompts = name.to_ascii_lowercase().contains("prompt");
    if SCHEMA.contains(&name) || is_of_prompts || is_in(name, |row| row.instructions) {
        return Holds::Instructions;
    }
    if matches!(name, "output" | "result" | "response") {
        return match (is_call, value.is()) {
            (false, Is::Array) if name == "output" => Holds::Carrier,
            (false, Is::Object) if name != "result" && is_message(value) => Holds::Carrier,
            (false, Is::String) if name == "response" => Holds::Carrier,
            _ => Holds::Results,
        };
    }
    if name == "data" {
        return match value.is() {
            Is::Object => Holds::Carrier,
            _ => Holds::Thoughts,
        };
    }
    if is_in(name, |row| row.carriers) {
        Holds::Carrier
    } else if is_in(name, |row| row.thoughts) {
        Holds::Thoughts
    } else if is_in(name, |row| row.results) || is_of_results(name) {
        Holds::Results
    } else {
        Holds::Unknown
    }
}

/// Returns whether the messages of any provider have a member in a column of the table.
fn is_in(name: &str, column: fn(&Row) -> &'static [&'static str]) -> bool {
    MESSAGES.iter().any(|row| column(row).contains(&name))
}

/// Members whose value is the call that the object names.
pub(super) const CALLS: [&str; 10] = [
    "function",
    "functionCall",
    "function_call",
    "custom",
    "operation",
    "action",
    "params",
    "toolUse",
    "toolInvocation",
    "kwargs",
];

/// Returns whether a name is of what a tool returned.
pub(super) fn is_of_results(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("result") || name.contains("output") || name.contains("observation")
}

/// Returns whether an object has a member in which messages are.
fn is_message(value: Value<'_>) -> bool {
    const OF_MESSAGES: &[&str] = &[
        "part",
        "message",
        "messages",
        "output",
        "choices",
        "candidates",
        "content",
        "body",
    ];
    Fields::of(value).is_ok_and(|fields| fields.has(OF_MESSAGES))
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The model.
    Model,
    /// A person, or whoever runs the model.
    Other,
    /// A tool.
    Tool,
    /// The model, in what it thinks aloud.
    Thinking,
    /// A program that tells again what is said elsewhere in the session, or notes of its own.
    Log,
    /// Nobody is named.
    Unknown,
}

/// Returns who speaks in an object.
pub(super) fn speaker(fields: &Fields<'_>) -> Speaker {
    let kind = fields.word(&["kind"]).unwrap_or_default();
    let is_of_event = kind.ends_with("Observation") || kind == "AgentErrorEvent";
    if is_of_event || fields.has(&["functionResponse", "toolResult", "observation"]) {
        return Speaker::Tool;
    }
    if fields.says(&["thought"], true) {
        return Speaker::Thinking;
    }
    if let Some(role) = role(fields) {
        return match &role[..] {
            "assistant" | "model" | "ai" | "agent" | "AIMessage" => Speaker::Model,
            "tool" | "function" | "toolResult" | "tool_result" => Speaker::Tool,
            _ => Speaker::Other,
        };
    }
    match &fields.word(fields::TYPE).unwrap_or_default()[..] {
        "human" | "system" | "developer" | "HumanMessage" | "SystemMessage" => Speaker::Other,
        of if of.starts_with("user") => Speaker::Other,
        "tool" if fields.has(&["state"]) => Speaker::Unknown,
        "tool" | "ToolMessage" | "FunctionMessage" | "function" if fields.has(RESULT_ID) => {
            Speaker::Tool
        }
        "thinking" | "redacted_thinking" | "reasoning" | "reasoning_text" => Speaker::Thinking,
        "event_msg"
        | "session_meta"
        | "turn_context"
        | "compacted"
        | "summary"
        | "result"
        | "file-history-snapshot"
        | "queue-operation"
        | "saved_hook_context" => Speaker::Log,
        // What a sub-agent says is told while it works.
        of if of.ends_with("_progress") && !fields.has(&["message"]) => Speaker::Log,
        of if is_result_type(of) => Speaker::Tool,
        _ => match fields.word(&["source"]).as_deref() {
            Some("user" | "environment") if fields.has(&["action", "observation"]) => {
                Speaker::Other
            }
            _ => Speaker::Unknown,
        },
    }
}

/// Returns the role that an object or its author has.
fn role(fields: &Fields<'_>) -> Option<String> {
    fields.word(&["role"]).or_else(|| {
        let (_, author) = fields.get(&["author", "info"])?;
        Fields::of(author).ok()?.word(&["role"])
    })
}

fn is_result_type(of: &str) -> bool {
    let of = of.replace('-', "_");
    of.ends_with("_output") || of.ends_with("tool_result")
}

/// Returns whether an object is what Claude Code prints at last, or as all that it prints: the text
/// of the model's last message.
pub(super) fn is_final(fields: &Fields<'_>) -> bool {
    fields.word(fields::TYPE).as_deref() == Some("result") && outcome(fields).is_none()
}

/// Members by which a call is known to its result.
pub(super) const CALL_ID: &[&str] = &[
    "call_id",
    "callID",
    "callId",
    "toolCallId",
    "tool_call_id",
    "toolUseId",
    "toolUseID",
    "tool_use_id",
    "tool_id",
    "id",
];

/// Members by which a result names its call.
pub(super) const RESULT_ID: &[&str] = &[
    "tool_use_id",
    "tool_call_id",
    "toolCallId",
    "toolUseId",
    "toolUseID",
    "tool_id",
    "call_id",
    "callID",
    "callId",
];

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The tool did it, or nobody says otherwise.
    Done,
    /// It failed, or a person refused it.
    Undone,
    /// It is only begun: another message tells the rest.
    Begun,
    /// It was told, and nobody says yet what became of it.
    Running,
}

/// Returns what the members of a call or of its result say of what became of the call.
pub(super) fn outcome(fields: &Fields<'_>) -> Option<Outcome> {
    const WORDS: &[&str] = &["status", "state", "outcome", "decision"];
    const UNDONE: [&str; 7] = [
        "error", "fail", "cancel", "denied", "decline", "reject", "abort",
    ];
    if fields.says(
        &[
            "is_error",
            "isError",
            "denied",
            "rejected",
            "cancelled",
            "interrupted",
        ],
        true,
    ) || fields.says(&["success", "approved"], false)
        || fields
            .get(&["exit_code", "exitCode", "returncode"])
            .is_some_and(|(_, code)| is_failure(code))
        || fields
            .get(&["error", "errorText", "rejection_reason"])
            .is_some_and(|(_, error)| is_said(error))
        || matches!(
            fields.word(&["observation"]).as_deref(),
            Some("error" | "user_rejected")
        )
    {
        return Some(Outcome::Undone);
    }
    for (_, value) in fields.iter().filter(|(name, _)| WORDS.contains(name)) {
        let word = value.string().map(|word| word.text().to_ascii_lowercase());
        let word = word.as_deref().unwrap_or_default();
        let word = word.strip_prefix("output-").unwrap_or(word);
        if UNDONE.iter().any(|undone| word.starts_with(undone)) {
            return Some(Outcome::Undone);
        }
        match word {
            "pending" | "input-streaming" | "partial-call" => return Some(Outcome::Begun),
            "running" | "in_progress" => return Some(Outcome::Running),
            _ => {}
        }
    }
    None
}

fn is_failure(code: Value<'_>) -> bool {
    code.is() == Is::Number && code.written() != "0"
}

/// Returns whether an error is named: something that is neither null, false nor empty.
pub(super) fn is_said(error: Value<'_>) -> bool {
    !matches!(error.is(), Is::Null | Is::Bool(false))
        && !matches!(error.written(), "\"\"" | "{}" | "[]")
}

/// Members that say why a message ended. They are the message's own, or in its [`CUT_INSIDE`].
const ENDS: &[&str] = &[
    "stop_reason",
    "stopReason",
    "finish_reason",
    "finishReason",
    "finish",
    "done_reason",
];

/// What these say of a message that was cut off: by its length, by a filter or by a fault.
const CUT: &[&str] = &[
    "max_tokens",
    "MAX_TOKENS",
    "maxTokens",
    "length",
    "model_length",
    "model_context_window_exceeded",
    "refusal",
    "content_filter",
    "content-filter",
    "content_filtered",
    "guardrail_intervened",
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "LANGUAGE",
    "OTHER",
    "MALFORMED_FUNCTION_CALL",
    "malformed_model_output",
    "malformed_tool_use",
    "aborted",
    "error",
];

/// What the status says of a whole response of OpenAI that isn't complete; of a call, it says what
/// became of it.
const CUT_RESPONSE: &[&str] = &["in_progress", "queued", "failed", "cancelled"];

/// Members of a message whose own members say how it ended: LangChain's.
const CUT_INSIDE: &[&str] = &["response_metadata", "generation_info"];

/// Returns the member that says that a message was cut off.
pub(super) fn cut<'t>(fields: &Fields<'t>) -> Option<(String, Value<'t>)> {
    own_cut(fields).or_else(|| {
        let (_, inside) = fields.get(CUT_INSIDE)?;
        own_cut(&Fields::of(inside).ok()?)
    })
}

fn own_cut<'t>(fields: &Fields<'t>) -> Option<(String, Value<'t>)> {
    let says = |name: &'static str, words: &[&str]| {
        let word = fields.word(&[name])?;
        let (_, value) = fields.get(&[name])?;
        words.contains(&&word[..]).then(|| (name.to_owned(), value))
    };
    let is_response = fields.word(&["object"]).as_deref() == Some("response");
    let of_response = || says("status", CUT_RESPONSE).filter(|_| is_response);
    says("status", &["incomplete"])
        .or_else(of_response)
        .or_else(|| ENDS.iter().find_map(|name| says(name, CUT)))
}

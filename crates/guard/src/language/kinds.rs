//! What the kinds of nodes mean: one table for every grammar.
//!
//! Grammars that use the same name for a kind nearly always mean the same by it. Where one does not, its language says so
//! ([`super::Language::other_kinds`]).

use super::Class;
use crate::source::Place;

/// The kinds of a class, the most common first.
pub(super) const KINDS: &[(Class, &[&str])] = &[
    (Class::Function, &["function_definition", "method_declaration", "function_declaration"]),
    (Class::Function, &["constructor_declaration", "generator_function_declaration", "method_definition"]),
    (Class::Function, &["local_function_statement", "function_item", "macro_definition", "method"]),
    (Class::Function, &["singleton_method"]),
    (Class::Lambda, &["lambda_expression", "arrow_function", "function_expression", "lambda"]),
    (Class::Lambda, &["anonymous_function", "func_literal", "closure_expression", "do_block"]),
    (Class::Container, &["class_declaration", "struct_specifier", "class_specifier"]),
    (Class::Container, &["namespace_definition", "namespace_declaration", "interface_declaration"]),
    (Class::Container, &["enum_declaration", "type_spec", "mod_item", "impl_item", "trait_item"]),
    (Class::Container, &["struct_item", "enum_item", "class_definition", "class", "module"]),
    (Class::Call, &["call_expression", "object_creation_expression", "new_expression", "call"]),
    (Class::Call, &["invocation_expression", "method_invocation", "function_call_expression"]),
    (Class::Call, &["member_call_expression", "scoped_call_expression", "macro_invocation"]),
    (Class::Decorator, &["decorator", "attribute_list", "marker_annotation", "annotation"]),
    (Class::Decorator, &["attribute_item", "inner_attribute_item"]),
    (Class::Binding, &["variable_declarator", "assignment_expression", "init_declarator", "assignment"]),
    (Class::Binding, &["short_var_declaration", "assignment_statement", "var_spec", "const_spec"]),
    (Class::Binding, &["let_declaration", "const_item", "static_item"]),
    (Class::List, &["array", "initializer_list", "object", "initializer_expression", "array_initializer"]),
    (Class::List, &["element_value_array_initializer", "array_creation_expression", "literal_value"]),
    (Class::List, &["array_expression", "list", "tuple", "set", "dictionary", "hash"]),
    (Class::If, &["if_statement", "if_expression", "if", "unless"]),
    (Class::Loop, &["for_statement", "while_statement", "foreach_statement", "for_in_statement"]),
    (Class::Loop, &["for_range_loop", "enhanced_for_statement", "for_expression", "while_expression"]),
    (Class::Loop, &["for", "while"]),
    (Class::Try, &["try_statement", "try_with_resources_statement", "begin"]),
    (Class::Handler, &["catch_clause", "except_clause", "rescue"]),
    (Class::With, &["with_statement"]),
    (Class::Return, &["return_statement", "return_expression", "return"]),
    (Class::Throw, &["throw_statement", "throw_expression", "raise_statement"]),
    (Class::Assert, &["assert_statement"]),
    (Class::Block, &["block", "compound_statement", "statement_block", "switch_case", "else_clause"]),
    (Class::Block, &["expression_case", "default_case", "match_arm", "body_statement", "then"]),
    (Class::Import, &["import_statement", "preproc_include", "import_declaration", "using_directive"]),
    (Class::Import, &["namespace_use_declaration", "use_declaration", "import_from_statement"]),
    (Class::Text, &["string_literal", "string", "char_literal", "raw_string_literal", "regex"]),
    (Class::Text, &["character_literal", "template_string", "verbatim_string_literal"]),
    (Class::Text, &["interpolated_string_expression", "encapsed_string", "interpreted_string_literal"]),
    (Class::Text, &["rune_literal", "simple_symbol"]),
    (Class::Comment, &["comment", "line_comment", "block_comment"]),
];

/// The kinds whose insides are not run.
pub(super) const PLACES: &[(Place, &[&str])] = &[
    (Place::Type, &["type", "type_annotation", "type_arguments", "type_parameters", "type_item"]),
    (Place::Type, &["array_type", "tuple_type", "union_type", "generic_type", "literal_type", "object_type"]),
    (Place::Type, &["function_type", "reference_type", "pointer_type", "slice_type", "map_type"]),
    (Place::Type, &["struct_type", "interface_type", "channel_type", "trait_bounds", "where_clause"]),
    (Place::Type, &["interface_declaration", "type_alias_declaration", "lookup_type", "conditional_type"]),
    (Place::Type, &["intersection_type", "parenthesized_type", "readonly_type", "template_literal_type"]),
    (Place::Pattern, &["match_pattern", "tuple_struct_pattern", "tuple_pattern", "struct_pattern"]),
    (Place::Pattern, &["or_pattern", "range_pattern", "slice_pattern", "captured_pattern"]),
    (Place::Pattern, &["reference_pattern", "mut_pattern", "field_pattern", "case_pattern"]),
];
